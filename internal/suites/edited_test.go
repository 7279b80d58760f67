//go:build long

package suites

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program that TestEditedWitnesses edits: two goroutines write n, the one once the
// other has taken the lock.
const (
	editedCode = `package base

import "sync"

type Job struct {
	mu    sync.Mutex
	ready bool
	n     int
}

func (j *Job) begin() {
	j.mu.Lock()
	j.ready = true
	j.mu.Unlock()
}

func (j *Job) begun() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ready
}

func (j *Job) idle() {}

func Run() int {
	j := new(Job)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { j.idle() })
	}
	wg.Go(func() {
		if j.begun() {
			j.n = 2
		}
	})
	wg.Go(func() {
		j.begin()
		j.n = 1
	})
	wg.Wait()
	return j.n
}
`
	editedTest = `package base

import "testing"

func TestRun(t *testing.T) {
	t.Log(Run())
}
`
)

// TestEditedWitnesses edits a program around a bug and asks what has become of it:
// gopredict replay says there (1), fixed (0) or that it cannot tell (2), and gopredict
// test the same of the committed witness.
func TestEditedWitnesses(t *testing.T) {
	t.Parallel()
	const there, fixed, unknown = 1, 0, 2
	const file = "testdata/predict/TestRun/race"
	edits := []struct {
		name     string
		from, to string // in the code and its test, by lines that are separated by ;
		exit     int
		status   string // of gopredict test; "": by exit, "-": there are no tests
		flags    string // of replay
	}{
		{name: "nothing", exit: there},
		{name: "comment", from: "j.begin()", to: "// First.;j.begin()", exit: there},
		{name: "rounds", from: "range 2", to: "range 3", exit: there},
		{name: "goroutines", from: "wg.Wait()", to: "wg.Go(j.idle);wg.Wait()", exit: there},
		{name: "renumbered", from: "for range 2 {;wg.Go(func() { j.idle() });}", to: "", exit: there}, // func3 is func2
		{name: "renumberedmore", from: "j := new(Job)", to: "j := new(Job);func() { j.idle() }()", exit: there},
		{name: "inlined", from: "j.begin();j.n", to: "j.mu.Lock();j.ready = true;j.mu.Unlock();j.n", exit: there},
		{name: "gostatement", from: "wg.Go(func() {;j.begin();j.n = 1;})", to: "wg.Add(1);go func() {;defer wg.Done();j.begin();j.n = 1;}()", exit: there},
		{name: "sleeping", from: "j.begin();j.n", to: "j.begin();j.begun();j.n", exit: there},
		{name: "subtest", from: "t.Log(Run())", to: `t.Run("x", func(t *testing.T) { t.Log(Run()) })`, exit: there},
		{name: "locked", from: "j.n = 2", to: "j.mu.Lock();j.n = 2;j.mu.Unlock()", exit: there},
		{name: "bothlocked", from: "j.n = ", to: "j.mu.Lock();defer j.mu.Unlock();j.n = ", exit: fixed},
		{name: "inturn", from: "wg.Go(func() {;j.begin()", to: "wg.Wait();wg.Go(func() {;j.begin()", exit: unknown, status: "stale"}, // two times wg.Wait()
		{name: "extracted", from: "j.n = 1;", to: "j.set();", exit: there},
		{name: "deleted", from: "j.n = 1;", to: "", exit: fixed},
		{name: "field", from: "n     int", to: "count int", exit: there},
		{name: "guarded", from: "j.n = 1;", to: "if len(j.name()) > 0 {;j.n = 1;};", exit: unknown},
		{name: "notcalled", from: "t.Log(Run())", to: "t.Log(new(Job))", exit: unknown},
		{name: "renamed", from: "TestRun(", to: "TestRunning(", exit: unknown, status: "stale"},
		{name: "skipped", from: "t.Log(Run())", to: `t.Skip("later");t.Log(Run())`, exit: unknown},
		{name: "short", from: "t.Log(Run())", to: `if testing.Short() {;t.Skip();};t.Log(Run())`, exit: unknown, status: "confirmed", flags: "-short"},
		{name: "tagged", from: "package base;;import \"testing\"", to: "//go:build later;;package base;;import \"testing\"", exit: unknown, status: "-"},
	}

	dir := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	put("go.mod", "module example.com/edited\n\ngo 1.26\n")
	put("base/base.go", editedCode)
	put("base/base_test.go", editedTest)
	first := run(t, dir, nil, command, "test", "./base")
	require.Equal(t, 1, first.exit, first)
	saved, err := filepath.Glob(filepath.Join(dir, "base/testdata/predict/TestRun/*"))
	require.NoError(t, err)
	require.Len(t, saved, 1, first)
	text, err := os.ReadFile(saved[0])
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "base")))

	// of is the witness as if it had been recorded in another folder.
	of := func(name string) string {
		return strings.ReplaceAll(strings.ReplaceAll(string(text), "edited/base", "edited/"+name), " base/", " "+name+"/")
	}
	for _, e := range edits {
		code, test := editedCode, editedTest
		lines := func(s string) string { return strings.ReplaceAll(s, ";", "\n") }
		for _, source := range []*string{&code, &test} {
			plain := strings.ReplaceAll(*source, "\t", "")
			if strings.Contains(plain, lines(e.from)) {
				*source = strings.ReplaceAll(plain, lines(e.from), lines(e.to))
			}
		}
		require.True(t, e.from == "" || code != editedCode || test != editedTest, e.name)
		if e.name == "field" {
			code = strings.ReplaceAll(code, "j.n", "j.count")
		}
		if strings.Contains(code, "j.set()") {
			code += "\nfunc (j *Job) set() { j.n = 1 }\n"
		}
		if strings.Contains(code, "j.name()") {
			code += "\nfunc (j *Job) name() string { return \"\" }\n"
		}
		put(e.name+"/base.go", code)
		put(e.name+"/base_test.go", test)
		put(filepath.Join(e.name, file), of(e.name))
	}

	// The replays first: a test may write a witness anew.
	t.Run("replay", func(t *testing.T) {
		for _, e := range edits {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				r := run(t, dir, nil, command, append(append([]string{"replay"}, strings.Fields(e.flags)...), filepath.Join(e.name, file))...)
				require.Equal(t, e.exit, r.exit, r)
			})
		}
	})

	report := filepath.Join(t.TempDir(), "report.json")
	all := run(t, dir, nil, command, "test", "-predict.json="+report, "./...")
	require.Equal(t, 1, all.exit, all)
	var r struct {
		Findings  []finding
		Witnesses []struct{ Witness, Status, Reason string }
	}
	data, err := os.ReadFile(report)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r))
	status := make(map[string]string)
	for _, w := range r.Witnesses {
		status[strings.Split(w.Witness, "/")[0]] = w.Status
	}
	for _, e := range edits {
		want := e.status
		if want == "" {
			want = map[int]string{there: "confirmed", fixed: "fixed", unknown: "unconfirmed"}[e.exit]
		}
		if want != "-" {
			require.Equal(t, want, status[e.name], "%s\n%s", e.name, all)
		}
		// What was confirmed by another schedule has taken the witness's place; else
		// the witness stays.
		files, err := filepath.Glob(filepath.Join(dir, e.name, "testdata/predict/TestRun/*"))
		require.NoError(t, err)
		if e.exit == there {
			require.Len(t, files, 1, all)
		} else if want != "-" && want != "confirmed" {
			left, err := os.ReadFile(filepath.Join(dir, e.name, file))
			require.NoError(t, err)
			require.Equal(t, of(e.name), string(left), e.name)
		}
		if want == "fixed" {
			for _, f := range r.Findings {
				require.False(t, f.Status == "confirmed" && strings.HasPrefix(f.Accesses[0].File, e.name+"/"), all)
			}
		}
	}
}
