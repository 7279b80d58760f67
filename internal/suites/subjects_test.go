package suites

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/golden"
	"github.com/gopredict/gopredict/internal/subjects"
)

// A want is what a subject's want.json expects of gopredict.
type want struct {
	Exit      int
	Flags     []string // beside -predict.json
	Nothing   bool     // not even a schedule is found
	Visible   bool     // to go test -race, which .ci/run makes sure of for the others
	Replayed  int      // tests of which a candidate is replayed, and not confirmed
	Confirmed []wantFinding
	// Loose says that the interleavings that are shown are not the same each time: they
	// are those of further runs, or what they show is the standard library's.
	Loose bool
	// Hangs says that the tests come to no end as they are.
	Hangs bool
	// Costly says that much is to be compiled: the subject is built for recording only, and
	// not edited.
	Costly bool
	// Undecided are the places of what is neither confirmed nor infeasible, and has
	// no schedule.
	Undecided []string
}

// test returns the arguments that the subject is tested with.
func (w want) test(flags ...string) []string {
	return append(append(append([]string{"test"}, w.Flags...), flags...), "./...")
}

// A wantFinding is a confirmed race between two places, or with a pattern an
// order of accesses; Tier is what found its schedule, if that matters, and Time the place of
// the wait that it rests on, "" if it does not rest on time. Several races may have the same places: a statement can both
// read and write. At least one of them must have the effect, if one is named.
type wantFinding struct {
	Kind     string // "": race
	Pattern  string
	Accesses []string
	Effect   string
	Tier     string
	Time     string
}

func (w wantFinding) is(f finding) bool {
	sites := f.sites()
	if w.Pattern != "" {
		return f.Kind == w.Kind && f.Pattern == w.Pattern && slices.Equal(sites, w.Accesses)
	}
	slices.Sort(sites)
	return f.Kind == cmp.Or(w.Kind, "race") && slices.Equal(sites, slices.Sorted(slices.Values(w.Accesses)))
}

// wanted returns what is wanted of each subject, by name.
func wanted(t *testing.T) map[string]want {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*", "want.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := make(map[string]want)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var w want
		require.NoError(t, json.Unmarshal(text, &w))
		out[filepath.Base(filepath.Dir(file))] = w
	}
	return out
}

// testFurther tests a subject further, whose witnesses are in dir. It takes minutes for all
// subjects, so only long tests (tag long) have it, and the costly subjects.
var testFurther func(t *testing.T, dir string, w want, confirmed []finding)

// TestSubjects tests each subject.
func TestSubjects(t *testing.T) {
	t.Parallel()
	for name, w := range wanted(t) {
		if w.Costly && testFurther == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copySubject(t, name)
			confirmed := testSubject(t, dir, w)
			if testFurther != nil {
				testFurther(t, dir, w, confirmed)
			}
		})
	}
}

// testSubject checks that gopredict confirms what is wanted and nothing else. It returns what was
// confirmed. The witnesses are in dir.
func testSubject(t *testing.T, dir string, w want) []finding {
	file := filepath.Join(t.TempDir(), "report.json")
	predicted := run(t, dir, nil, command, w.test("-predict.json="+file)...)
	require.Equal(t, w.Exit, predicted.exit, predicted)
	r := readReport(t, file)
	if len(w.Confirmed) > 0 && !w.Loose {
		golden.Equal(t, filepath.Base(dir)+".txt", findings(predicted.stdout))
	}
	confirmed := r.confirmed()
	compare(t, w.Confirmed, confirmed, predicted)
	replayed := make(map[string]bool)
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Reason, "no goroutine can go on") {
			require.Regexp(t, stuck, f.Reason)
		}
		if f.Status != "confirmed" && f.Replays > 0 {
			replayed[f.Test] = true
		}
		require.False(t, w.Nothing && f.Replays > 0, "a schedule leads to %v: %s\n%s", f.sites(), f.Reason, predicted)
	}
	if len(w.Undecided) > 0 {
		var undecided []string
		for _, f := range r.Findings {
			if f.Undecided {
				undecided = append(undecided, f.sites()...)
			}
		}
		require.ElementsMatch(t, w.Undecided, undecided, predicted)
	}
	if w.Replayed > 0 {
		require.Len(t, replayed, w.Replayed, predicted)
	}
	return confirmed
}

// stuck is why a replay cannot go on: what the schedule waits for, then each
// goroutine, its place and what it waits for.
var stuck = regexp.MustCompile(`, the schedule waits for goroutine [\w.-]+ at .+: goroutine [\w.-]+ in \S+ \(\w+\.go:\d+\): \w+`)

// compare checks that the places of wanted and confirmed findings are the same
// and that each wanted effect is there.
func compare(t *testing.T, wanted []wantFinding, confirmed []finding, output result) {
	t.Helper()
	for _, f := range confirmed {
		known := slices.ContainsFunc(wanted, func(w wantFinding) bool { return w.is(f) })
		require.True(t, known, "want.json has nothing about %s at %v\n%s", f.ID, f.sites(), output)
	}
	for _, w := range wanted {
		found := slices.ContainsFunc(confirmed, func(f finding) bool {
			return w.is(f) && (w.Effect == "" || w.Effect == f.Effect) && (w.Tier == "" || w.Tier == f.Tier) && w.Time == f.time()
		})
		require.True(t, found, "nothing confirmed at %v with effect %q, found by %q, resting on %q\n%s", w.Accesses, w.Effect, w.Tier, w.Time, output)
	}
}

// filesIn returns the files under dir of which a pattern matches the name.
func filesIn(t *testing.T, dir, pattern string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if match, _ := filepath.Match(pattern, filepath.Base(path)); match && err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// fixes returns the ways to fix a subject: endings of files that take the place
// of its *.go files, ".fixed", ".fixed-atomic", ….
func fixes(t *testing.T, name string) []string {
	t.Helper()
	folder, err := subjects.FindFolder(root, name)
	require.NoError(t, err)
	var ways []string
	for _, file := range filesIn(t, folder, "*.go.fixed*") {
		if way := filepath.Ext(file); !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	return ways
}

// TestReadme types the README's first command, in a copy of the bank. The
// output must be the README's sample, the exit code 1; go.mod and the sources
// stay as they are.
func TestReadme(t *testing.T) {
	t.Parallel()
	dir := copySubject(t, "bank")
	before := snapshot(t, dir)
	r := run(t, dir, nil, "go", "test", "-predict", "./...")
	require.Equal(t, 1, r.exit, r)

	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(readme), "```text\n")
	sample, _, found := strings.Cut(rest, "```\n")
	require.True(t, found, "README.md has no sample: expected a block that begins with ```text")
	require.Equal(t, withoutNumbers(sample), withoutNumbers(r.stdout), r.stderr)

	witnesses, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "TestReceipt", "race-*"))
	require.NoError(t, err)
	require.Len(t, witnesses, 1, r)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "testdata")))
	require.Equal(t, before, snapshot(t, dir), "the source tree was changed")
}

// withoutNumbers replaces what differs from run to run, times and counts of
// events, by #, and the folder of the command by nothing.
func withoutNumbers(output string) string {
	output = strings.ReplaceAll(output, command, filepath.Base(command))
	return regexp.MustCompile(`[0-9][0-9.]*s\b|[0-9]+ events`).ReplaceAllString(output, "#")
}

// address is where a program has crashed.
var address = regexp.MustCompile(`pc=0x[0-9a-f]+`)

// folder is where a failing testify assertion says that the subject is.
var folder = regexp.MustCompile(`(Error Trace:\t)\S*/`)

// findings returns what stands between bars, the first and the last of these too.
func findings(output string) string {
	const bar = "==================\n"
	output = address.ReplaceAllString(withoutNumbers(output), "pc=…")
	output = folder.ReplaceAllString(output, "$1…/")
	from, to := strings.Index(output, bar), strings.LastIndex(output, bar)
	if from < 0 {
		return ""
	}
	return stdLine.ReplaceAllString(output[from:to+len(bar)], "$1:…")
}

// stdLine is a line of the standard library, which each release has elsewhere.
var stdLine = regexp.MustCompile(`(std/\S+\.go):\d+`)

// snapshot returns the content of each file under dir.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}
