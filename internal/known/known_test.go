package known

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
)

// finding is a race between two places of a.go, "func:line" each.
func finding(id string, places ...string) report.Finding {
	f := report.Finding{ID: id, Kind: bug.Race, Status: bug.Confirmed, Package: "p", Test: "TestA"}
	for _, p := range places {
		fn, line, _ := strings.Cut(p, ":")
		n := 0
		for _, c := range line {
			n = 10*n + int(c-'0')
		}
		f.Accesses = append(f.Accesses, report.Access{Op: "read", Expr: "x", Position: report.Position{Func: fn, File: "a.go", Line: n}})
	}
	return f
}

func reportOf(findings ...report.Finding) *report.Report {
	return &report.Report{Packages: []report.Package{{Package: "p"}}, Findings: findings}
}

// suppressed lists the ids that are suppressed.
func suppressed(r *report.Report) string {
	var ids []string
	for _, f := range r.Findings {
		if f.Suppressed != nil {
			ids = append(ids, f.ID)
		}
	}
	return strings.Join(ids, " ")
}

func baselineOf(t *testing.T, r *report.Report) (*Baseline, string) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, WriteBaseline(&text, r, nil, true))
	b, err := parseBaseline("b.txt", bytes.NewReader(text.Bytes()))
	require.NoError(t, err)
	return b, text.String()
}

// A baseline that is written again keeps what the run has not looked for: bugs of other packages,
// and all where tests were left out.
func TestBaselineKeeps(t *testing.T) {
	first := &report.Report{Findings: []report.Finding{finding("race-1", "f:1"), finding("race-2", "f:2"), finding("race-3", "f:3")}}
	first.Findings[2].Package = "other"
	before, all := baselineOf(t, first)
	r := &report.Report{Findings: first.Findings[:1], Packages: []report.Package{{Package: first.Findings[0].Package}}}
	for _, whole := range []bool{false, true} {
		var text bytes.Buffer
		require.NoError(t, WriteBaseline(&text, r, before, whole))
		assert.Equal(t, !whole, text.String() == all, "%s", &text)
		assert.Equal(t, !whole, strings.Contains(text.String(), "race-2"))
		assert.Contains(t, text.String(), "race-3")
	}
}

// What was written is known, wherever its lines are now, and a new bug beside it is not.
func TestBaseline(t *testing.T) {
	old, other := finding("race-2", "f:1", "g:2"), finding("race-1", "f:3")
	unconfirmed := finding("race-3", "f:9")
	unconfirmed.Status = bug.Unconfirmed
	b, text := baselineOf(t, reportOf(old, other, unconfirmed))
	assert.Equal(t, "gopredict baseline v1\np race-1 TestA: read x in f\np race-2 TestA: read x in f, read x in g\n", text)

	moved := finding("race-2", "f:101", "g:102")
	r := reportOf(moved, finding("race-4", "f:1", "g:2"))
	b.Mark(r)
	assert.Equal(t, "race-2", suppressed(r))
	assert.Equal(t, &report.Suppression{By: report.ByBaseline, Reason: "b.txt"}, r.Findings[0].Suppressed)
	assert.Equal(t, []string{"b.txt:2: this run has not confirmed race-1"}, b.UnconfirmedWarnings(r), "it is fixed")
	assert.Empty(t, b.UnconfirmedWarnings(&report.Report{}), "its package was not tested")

	elsewhere := finding("race-2", "f:1")
	elsewhere.Package = "q"
	r = reportOf(elsewhere)
	b.Mark(r)
	assert.Empty(t, suppressed(r), "of another package")
}

// A baseline is written anew without what it was.
func TestBaselineAgain(t *testing.T) {
	_, text := baselineOf(t, reportOf(finding("race-1", "f:1")))
	_, again := baselineOf(t, reportOf(finding("race-1", "f:77")))
	assert.Equal(t, text, again, "lines are no part of it")
	_, fixed := baselineOf(t, reportOf())
	assert.Equal(t, header+"\n", fixed)
}

func TestBaselineErrors(t *testing.T) {
	b, err := ReadBaseline("none", filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err, "the first run has none")
	b.Mark(reportOf(finding("race-1", "f:1")))
	for text, want := range map[string]string{
		"":                     "b:1: the file is empty, expected",
		"{}":                   `b:1: found "{}", expected "gopredict baseline v1"`,
		header + "\n\np":       `b:3: found "p", expected a package and the id of a bug`,
		header + "\np TestA":   `b:2: found "p TestA", expected a package and`,
		header + "\n# a\n<<<<": `b:3: found "<<<<", expected`,
	} {
		_, err := parseBaseline("b", strings.NewReader(text))
		assert.ErrorContains(t, err, want)
	}
}

const source = `package a

//gopredict:ignore race the count is a guess
type Counter struct{ n int }

func (c *Counter) Add() {
	c.n++
}

//gopredict:ignore race seen once, and fine
func whole() {
	go func() {
		x++
	}()
}

func part() {
	//gopredict:ignore race only this one
	x++
	y++
	z++ //gopredict:ignore race and this one
	//gopredict:ignore leak another kind
	w++
	//gopredict:ignore race
	v++
	//gopredict:ignore rice with a reason
	u++
	//gopredict:ignored is another comment
}
`

func commentsOf(t *testing.T, text string) *Comments {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.go"), []byte("//gopredict:ignore race x\n}"), 0o666))
	return ReadComments([]string{dir}, filepath.Base)
}

// A comment is about the statement, function or type below it, and about its own line.
func TestComments(t *testing.T) {
	for place, want := range map[string]string{
		"(*Counter).Add:7":    "the count is a guess (a.go:3)",
		"(*Counter).Read:99":  "the count is a guess (a.go:3)",
		"Counter[...].Get:99": "the count is a guess (a.go:3)",
		"(*Counters).Add:99":  "",
		"whole.func1:13":      "seen once, and fine (a.go:10)",
		"part:19":             "only this one (a.go:18)",
		"part:20":             "",
		"part:21":             "and this one (a.go:21)",
		"part:23":             "", // another kind
		"part:25":             "", // no reason
		"part:27":             "", // no kind
	} {
		r := reportOf(finding("race-1", "other:400", place))
		commentsOf(t, source).Mark(r)
		got := ""
		if s := r.Findings[0].Suppressed; s != nil {
			got = s.Reason
		}
		assert.Equal(t, want, got, place)
	}
}

// A comment at a type is about the methods of that type only, and not about those of a type of
// the same name in another folder.
func TestCommentsOfNamesakes(t *testing.T) {
	for file, want := range map[string]string{"a.go": "race-1", "b.go": "race-1", "other/a.go": "", "other/b.go": ""} {
		r := reportOf(finding("race-1", "(*Counter).Add:99"))
		r.Findings[0].Accesses[0].File = file
		commentsOf(t, source).Mark(r)
		assert.Equal(t, want, suppressed(r), file)
	}
}

// What has no reason or no kind is told, and what is of no use.
func TestUnusedComments(t *testing.T) {
	c := commentsOf(t, source)
	require.Len(t, c.Malformed, 2)
	assert.Contains(t, c.Malformed[0], `a.go:24: found "//gopredict:ignore race", expected //gopredict:ignore KIND REASON; kinds are deadlock, `)
	assert.Contains(t, c.Malformed[1], `a.go:26: found "//gopredict:ignore rice with a reason", expected`)
	c.Mark(reportOf(finding("race-1", "part:19"), finding("race-2", "whole:12")))
	unused := strings.Join(c.Unused(), "\n")
	assert.Contains(t, unused, "a.go:22: //gopredict:ignore leak ignores nothing of what this run has confirmed")
	assert.NotContains(t, unused, "a.go:18:")
	assert.NotContains(t, unused, "a.go:10:")
}

// Bugs that touch a changed line are new.
func TestChanges(t *testing.T) {
	c := parseDiff(`diff --git a.go a.go
--- a.go
+++ a.go
@@ -10,0 +11,2 @@ func f
+++ x
+b
@@ -20,3 +22,0 @@
-a
-b
-c
@@ -40 +40 @@
-a
+b
`)
	for line, want := range map[string]bool{"10": false, "11": true, "12": true, "13": false, "22": true, "23": true, "24": false, "40": true, "41": false} {
		r := reportOf(finding("race-1", "f:1", "g:"+line))
		c.Mark(r)
		assert.Equal(t, want, suppressed(r) == "", line)
	}
}

// Git is asked, also below the folder of its repository, and of new files.
func TestReadChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed, which this test needs: apt-get install git")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "module")
	require.NoError(t, os.Mkdir(dir, 0o777))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	run := func(args ...string) {
		_, err := git(t.Context(), root, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		require.NoError(t, err)
	}
	write("a.go", "one\ntwo\nthree\n")
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "one")
	write("a.go", "one\n2\nthree\n")
	write("ü b.go", "new\n")
	c, err := ReadChanges(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	assert.False(t, c.hasChanged("a.go", 1))
	assert.True(t, c.hasChanged("a.go", 2))
	assert.True(t, c.hasChanged("ü b.go", 1))

	_, err = ReadChanges(t.Context(), dir, "nosuch")
	assert.ErrorContains(t, err, "nosuch: expected a revision that git knows: git rev-parse: ")
	_, err = ReadChanges(t.Context(), dir, "--output=x")
	assert.Error(t, err)
}

func FuzzComments(f *testing.F) {
	f.Add("package p\n\n//gopredict:ignore race why\nfunc f() { x++ } //gopredict:ignore race\n\n//gopredict:ignore all x\ntype T struct{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		var c Comments
		c.file("f", []byte(text))
		c.Mark(reportOf(finding("race-1", "f:1")))
		c.Unused()
	})
}

func FuzzBaseline(f *testing.F) {
	f.Add(header + "\np race-1 TestA: read x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if b, err := parseBaseline("b", strings.NewReader(text)); err == nil {
			b.Mark(reportOf(finding("race-1", "f:1")))
		}
		parseDiff(text).Mark(reportOf(finding("race-1", "f:1")))
	})
}
