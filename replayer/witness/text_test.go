package witness

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// sample is the witness of testdata/race.witness.
func sample() *Witness {
	const withdraw, deposit, test = "example.com/bank.(*Account).Withdraw", "example.com/bank.(*Account).Deposit", "example.com/bank.TestTransfer"
	return &Witness{
		ID: "race-7c1f0a", Kind: "race", Package: "example.com/bank", Tests: []string{"TestTransfer"}, Parallel: 2, GoVersion: "go1.26.8", Order: "10",
		Steps: []Step{
			{Goroutine: "TestTransfer:0", Op: trace.Fork, Expr: "withdraw", Func: test, File: "bank_test.go", Line: 11, LineText: "go withdraw(a)", AlikeNumber: 1, AlikeCount: 1, Occurrence: 1},
			{Goroutine: "TestTransfer:0.1", Op: trace.Begin, Occurrence: 1},
			{Goroutine: "TestTransfer:0.1", Op: trace.Acquire, Expr: "a.mu", Func: withdraw, File: "bank.go", Line: 15, LineText: "a.mu.Lock()", AlikeNumber: 1, AlikeCount: 2, Occurrence: 2},
			{Goroutine: "TestTransfer:0.1", Op: trace.WaitGroupAdd, Expr: "wg", Func: withdraw, File: "bank.go", Line: 16, Occurrence: 1, Value: "-1"},
		},
		Holds: []Step{
			{Goroutine: "TestTransfer:0", Op: trace.WaitGroupWait, Expr: "wg", Func: test, File: "bank_test.go", Line: 14, Occurrence: 1},
		},
		Violation: []Step{
			{Goroutine: "TestTransfer:0.1", Op: trace.Read, Expr: "a.balance", Func: withdraw, File: "bank.go", Line: 17, Col: 5, SiteNumber: 1, AlikeNumber: 1, AlikeCount: 1, Occurrence: 1, Value: "100"},
			{Goroutine: "TestTransfer:0.2", Op: trace.Write, Expr: "a.balance", Func: deposit, File: "bank.go", Line: 12, Col: 2, SiteNumber: 1, AlikeNumber: 2, AlikeCount: 3, Occurrence: 1, Value: "90"},
		},
	}
}

func text(t *testing.T, w *Witness) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, w.Write(&b))
	return b.String()
}

func TestParse(t *testing.T) {
	w, err := Load("testdata/race.witness")
	require.NoError(t, err)
	assert.Equal(t, sample(), w)
}

func TestWrite(t *testing.T) {
	want, err := os.ReadFile("testdata/race.witness")
	require.NoError(t, err)
	assert.Equal(t, string(want), text(t, sample()))
}

func TestWriteOddFields(t *testing.T) {
	w := sample()
	w.RunPattern = "TestTransfer/a b"
	w.Args = []string{"-test.short=true", "-x", "a=b", "c", "d", "e=f", "-"}
	w.Tests = append(w.Tests, "FuzzÜ", "TestX#2")
	w.Violation[0] = Step{
		Goroutine: "#g", Op: trace.Read, SiteOp: "append", Expr: "m[\"a b\"] == -1 // \n", Func: "-", File: "a b:7", Line: 3, Occurrence: 9, SelectCase: 2, Value: "a=\"b\" ",
	}
	w.Violation[1] = Step{Goroutine: "-", Op: trace.Write, Expr: "x=1", File: "c:\\x.go", Line: 3, Col: 4, SiteNumber: 2, Occurrence: 1, Value: "-"}
	got, err := Parse("w", strings.NewReader(text(t, w)))
	require.NoError(t, err)
	assert.Equal(t, w, got)
}

func TestParseErrors(t *testing.T) {
	good := text(t, sample())
	replace := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", `w:1: the witness ends after its first line`},
		{"other file", "hello\n", `w:1: not a gopredict witness: the first line is "hello", expected "gopredict witness v1"`},
		{"version", replace("witness v1", "witness v2"), "w:1: witness version 2, this gopredict reads version 1"},
		{"parallel", replace("parallel 2", "parallel many"), `w:6: parallel is "many", expected a number of tests, from 1`},
		{"cut off", good[:strings.Index(good, "\nviolation")], "w:17: the witness has no violation section"},
		{"no id", replace("id       race-7c1f0a\n", ""), "the witness has no id"},
		{"no tests", replace("tests    TestTransfer\n", "tests\n"), "the witness names no tests"},
		{"header twice", replace("kind     race\n", "kind     race\nkind     race\n"), `w:4: second "kind"`},
		{"unknown header", replace("kind     race\n", "color red\n"), `w:3: unknown header "color"`},
		{"two values", replace("kind     race\n", "kind a b\n"), `w:3: header "kind" has 2 values, expected 1`},
		{"order", replace("order    10", "order    11"), `w:8: order is "11", expected 01 or 10`},
		{"operation", replace("  fork ", "  frob "), `w:11: unknown operation "frob"`},
		{"number", replace("occ=2", "occ=0"), `w:13: occ: found "0", expected a number from 1`},
		{"large number", replace("nth=1", "nth=99999999999"), `nth: found "99999999999", expected a number from 0`},
		{"field", replace("occ=2", "occur=2"), `w:13: unknown field "occur=2"`},
		{"field twice", replace("occ=2", "occ=2 occ=3"), `w:13: second occ=`},
		{"which", replace("which=1/2", "which=3/2"), `w:13: which: found "3/2", expected two numbers such as 2/3`},
		{"position", replace("bank.go:15", "bank.go"), `w:13: position is "bank.go", expected file:line or file:line:col`},
		{"short", replace("violation\n", "violation\n  TestTransfer:0.1 read\n"), `step line has 2 fields`},
		{"literal", replace("a.mu", `"a.mu`), `w:13: string literal has no end: "a.mu`},
		{"utf-8", replace("a.mu", "a.\xffmu"), `w:13: line is not valid UTF-8`},
		{"long", good + strings.Repeat("x", maxLine+1), `line is longer than 1048576 bytes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("w", strings.NewReader(c.in))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestParseComments(t *testing.T) {
	in := strings.Replace(text(t, sample()), "\nsteps", "\n# the way there\nsteps", 1)
	w, err := Parse("w", strings.NewReader(in))
	require.NoError(t, err)
	assert.Equal(t, sample(), w)
}

// A send that meets a close was a race once, and so was an Add that meets a Wait.
func TestParseOldKinds(t *testing.T) {
	for _, test := range []struct {
		ops  [2]trace.Kind
		want bug.Kind
	}{
		{[2]trace.Kind{trace.Send, trace.Close}, bug.Channel},
		{[2]trace.Kind{trace.WaitGroupAdd, trace.WaitGroupWait}, bug.WaitGroup},
		{[2]trace.Kind{trace.WaitGroupAdd, trace.Write}, bug.Race},
	} {
		w := sample()
		w.Violation[0].Op, w.Violation[1].Op = test.ops[0], test.ops[1]
		w, err := Parse("w", strings.NewReader(text(t, w)))
		require.NoError(t, err)
		assert.Equal(t, test.want, w.Kind)
	}
}

func TestSave(t *testing.T) {
	dir, name := t.TempDir(), filepath.Join("testdata", "predict", "TestTransfer", "race-7c1f0a")
	path := filepath.Join(dir, name)
	w := sample()
	require.NoError(t, w.Save(dir, name))
	w.Order = "01"
	require.NoError(t, w.Save(dir, name), "a second time replaces the file")
	got, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, w, got)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1, "nothing but the witness is left")
}

func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "race-1")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o777))
	require.ErrorContains(t, sample().Save(dir, "race-1"), "saving witness race-7c1f0a: ")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1, "the temporary file is gone")
}

// No name, and no link that a stranger has made, leads out of the package's folder.
func TestSaveOutside(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "testdata")))
	for _, name := range []string{"../race-1", "/race-1", "testdata/race-1", "testdata/predict/TestX/race-1"} {
		assert.ErrorContains(t, sample().Save(dir, name), "path escapes from parent", name)
	}
	files, err := os.ReadDir(other)
	require.NoError(t, err)
	assert.Empty(t, files)
}

// What a witness says becomes names of files, arguments and lines of a terminal.
func TestParseStrangers(t *testing.T) {
	good := text(t, sample())
	for _, c := range []struct{ old, new, want string }{
		{"race-7c1f0a", `"race-\x1b]0;mine\a"`, `w:2: id: found "race-\x1b]0;mine\a", expected small letters`},
		{"race-7c1f0a", "../../race-1", `w:2: id: found "../../race-1", expected`},
		{"race-7c1f0a", strings.Repeat("a", maxHeader+1), `w:2: id: found "aaa`},
		{"kind     race", "kind r\x1bace", `w:3: kind is "r\x1bace", expected one of deadlock, `},
		{"tests    TestTransfer", "tests TestTransfer ../../x", `w:5: tests: found "../../x", expected names of functions`},
		{"tests    TestTransfer", "tests -", `w:5: tests: found "", expected`},
		{"tests    TestTransfer", `tests "Test\nX"`, `w:5: tests: found "Test\nX", expected`},
		{"example.com/bank\n", "\"example.com/\\x1b[2J\"\n", `w:4: package: found "example.com/\x1b[2J", expected an import path`},
		{"go       go1", "recorded ../x\ngo go1", `w:7: recorded: found "../x", expected an order`},
		{"go       go1", "args -test.cpuprofile=/elsewhere\ngo go1", `w:7: args: a witness keeps -test.short, -test.skip, -test.parallel and flags of the tests' own, found -test.cpuprofile`},
		{"go       go1", "args -own value --test.outputdir /x\ngo go1", `found -test.outputdir`},
		{"go       go1", "args -x -- -test.trace=x\ngo go1", `found -test.trace`},
		{"go       go1", "args -predict -predict.html=x\ngo go1", `found -predict`},
		{"go       go1", `args "a\x00b"` + "\ngo go1", `w:7: args: an argument has a zero byte`},
		{"  TestTransfer:0.2  write", `  "TestTransfer:0.2\n" write`, `w:21: found "TestTransfer:0.2\n" as the name of a goroutine`},
	} {
		require.Contains(t, good, c.old)
		_, err := Parse("w", strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		assert.ErrorContains(t, err, c.want)
	}
	p := parser{w: new(Witness), steps: maxSteps - 1}
	p.section = &p.w.Steps
	require.NoError(t, p.line(2, "a read - - -"))
	assert.EqualError(t, p.line(3, "a read - - -"), "more than 1048576 steps")
}

// Lines of what is no source do not get into reports.
func TestSourcesOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("line"), 0o666))
	}
	var s Sources
	assert.Equal(t, "line", s.Line(filepath.Join(dir, "a.go"), 1))
	assert.Empty(t, s.Line(filepath.Join(dir, "secret"), 1))
	assert.Empty(t, s.Line("/dev/zero", 1))
}

func FuzzParse(f *testing.F) {
	golden, err := os.ReadFile("testdata/race.witness")
	require.NoError(f, err)
	f.Add(golden)
	f.Add([]byte("gopredict witness v1\nid a-1\nkind race\ntests T#2\nviolation\n \"#\" read x=1 \"\\xff\" a:b:7 occ=2 value=\"\" site=x nth=3"))
	f.Fuzz(func(t *testing.T, in []byte) {
		w, err := Parse("w", bytes.NewReader(in))
		if err != nil {
			return
		}
		again, err := Parse("again", strings.NewReader(text(t, w)))
		require.NoError(t, err)
		assert.Equal(t, w, again)
	})
}
