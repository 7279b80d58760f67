package bugs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/subjects"
)

// A formSet is the forms of one kind that one package has.
type formSet struct {
	kind, folder string   // the package: a subject and a folder of it
	tests        string   // a pattern of the tests that are forms of the kind; "": all
	want         string   // of tests without a //want: comment
	alone        bool     // the recorded run may hang, which ends it for the tests after it
	holders      bool     // whoever holds the locks is what was told wrongly
	args         []string // of go test
}

// formSets are all kinds, each with the package of the report that it is known from first.
var formSets = []formSet{
	{kind: "rwupgrade", folder: "forms/rwupgrade"},
	{kind: "rwupgrade", folder: "blocking/cycles", tests: "^Test(BugRead|Fixed)"},
	{kind: "tickers", folder: "forms/tickers", alone: true},
	{kind: "tickers", folder: "blocking/tickers", alone: true},
	{kind: "latesum", folder: "forms/latesum"},
	{kind: "latesum", folder: "right/meant", tests: "^TestSecond"},
	{kind: "afterfunc", folder: "forms/afterfunc"},
	{kind: "afterfunc", folder: "late", tests: "^TestTimer.", want: "assertion"},
	{kind: "afterfunc", folder: "right/meant", tests: "^TestTimer"},
	{kind: "chance", folder: "forms/chance"},
	{kind: "hang", folder: "forms/hang"},
	{kind: "hang", folder: "forms/recorded", alone: true},
	{kind: "hang", folder: "blocking/network"},
	{kind: "circle", folder: "forms/circle"},
	{kind: "circle", folder: "blocking/cycles", tests: "^TestBug([^R]|R[^e])"},
	{kind: "oneline", folder: "forms/oneline", holders: true},
	{kind: "tinylock", folder: "forms/tinylock"},
	{kind: "tinylock", folder: "blocking/tiny"},
	{kind: "cthread", folder: "forms/cthread"},
	{kind: "innerlock", folder: "forms/innerlock"},
	{kind: "innerlock", folder: "right/meant", tests: "^TestInner"},
	{kind: "innerlock", folder: "correct/regions"},
	{kind: "mapsclone", folder: "forms/mapsclone"},
	{kind: "mapsclone", folder: "stdmemory/racy", want: "race"},
	{kind: "selectmap", folder: "forms/selectmap"},
	{kind: "cputwice", folder: "forms/cputwice", args: []string{"-count=2"}},
	{kind: "cputwice", folder: "forms/cputwice", args: []string{"-cpu=1,4"}},
	{kind: "deeporder", folder: "forms/deeporder"},
}

// editedForms are the kinds whose forms are edits that keep a bug, by subjects of the suite of edits.
var editedForms = []struct{ kind, subject string }{{"timewrongly", "feed"}, {"closureedit", "stalecheck"}}

// editsPerKind is how many edits are forms of such a kind.
const editsPerKind = 12

// A form is one test, or one edit of one.
type form struct {
	Name, About string // the comment of a test
	Want, Said  string // what is to be confirmed, and what gopredict says
	Plain, Race failures
}

// A formRow is what was measured of a set, or of the edits of a kind.
type formRow struct {
	Kind, From string
	Forms      []form
}

// IsRight reports whether gopredict says what it must. Where only a kind is wanted, further findings
// and their effects may be others. An assertion that fails is a failure of the test, too.
func (f form) IsRight() bool {
	alike := strings.NewReplacer("assertion", "failure")
	said, want := alike.Replace(f.Said), alike.Replace(f.Want)
	return said == want || want != "" && !strings.Contains(want, " ") &&
		slices.ContainsFunc(strings.Split(said, ", "), func(s string) bool { return strings.HasPrefix(s, want+" ") })
}

// IsWrong reports whether it says something else.
func (f form) IsWrong() bool { return !f.IsRight() }

// IsBug reports whether something is to be said.
func (f form) IsBug() bool { return f.Want != "" }

// forms runs the forms of each kind of wrong answer that users have met with go test, with go test
// -race, and with gopredict. All is as it must be if gopredict says of each what it wants.
func forms(j *run.Job) bool {
	plain := j.Int("count", 20, "how many times each test runs with go test")
	race := j.Int("racecount", 50, "how many times each test runs with -race")
	j.Parse()
	rows := run.LoadRows[formRow](j)
	var page formPage
	for _, s := range formSets {
		page.add(rows, s.name(), func() formRow { return s.measure(j, *plain, *race) })
	}
	for _, k := range editedForms {
		page.add(rows, k.kind+" "+k.subject, func() formRow {
			return formRow{k.kind, "edits of " + k.subject, measureEdits(j, k.subject, *plain, *race)}
		})
	}
	page.Plain, page.Race = *plain, *race
	j.Write(pages, "forms.md", page)
	return !slices.ContainsFunc(page.Kinds, func(k formKind) bool { return slices.ContainsFunc(k.forms(), form.IsWrong) })
}

// name is that of the row.
func (s formSet) name() string { return s.kind + " " + s.from() }

// from says where the forms are, and how they are run.
func (s formSet) from() string { return strings.Join(append([]string{s.folder}, s.args...), " ") }

// measure runs the tests of the set.
func (s formSet) measure(j *run.Job, plain, race int) formRow {
	subject, folder, _ := strings.Cut(s.folder, "/")
	dir := s.copySubject(j, subject)
	tests := run.Must(subjects.Tests(filepath.Join(dir, folder)))
	match := regexp.MustCompile(s.tests)
	r := formRow{Kind: s.kind, From: s.from()}
	var patterns []string
	for _, t := range tests {
		if match.MatchString(t.Name) {
			r.Forms = append(r.Forms, form{Name: t.Name, About: t.Doc, Want: cmp.Or(t.Want, s.want)})
			if s.alone {
				patterns = append(patterns, "^"+t.Name+"$")
			}
		}
	}
	if !s.alone {
		patterns = []string{s.tests}
	}
	binaries := buildBoth(j, dir, folder, plain, race)
	for _, pattern := range patterns {
		found, p := j.Predict(dir, slices.Concat(s.args, []string{"-predict.witnesses=none", "-run=" + pattern, "./" + folder})...)
		for i := range r.Forms {
			if f := &r.Forms[i]; regexp.MustCompile(pattern).MatchString(f.Name) {
				f.Said = s.said(f, found, p.Output)
			}
		}
	}
	for i := range r.Forms {
		f := &r.Forms[i]
		f.Plain, f.Race = binaries.repeat(j, f.Name, plain, race)
		j.Log("%s.%s: %d of %d, %d of %d with -race; %q is to be said, and is %q", s.folder, f.Name,
			f.Plain.Failed, f.Plain.Runs, f.Race.Failed, f.Race.Runs, f.Want, f.Said)
	}
	return r
}

// copySubject copies the subject, for this set alone.
func (s formSet) copySubject(j *run.Job, name string) string {
	return run.CopySubject(name, filepath.Join(run.Must(os.MkdirTemp(j.Dir, "forms-")), name))
}

// said is what gopredict says of a test.
func (s formSet) said(f *form, found *report.Report, output string) string {
	var all []string
	for _, g := range found.Findings {
		switch of := g.Test == f.Name; {
		case of && g.Status == bug.Confirmed:
			all = append(all, s.describe(f, g))
		case of && g.Status == bug.Infeasible && f.IsBug():
			all = append(all, "infeasible")
		}
	}
	for _, p := range found.Packages {
		for _, c := range p.Chance {
			if strings.HasPrefix(f.Want, "chance ") && slices.Contains(c.Tests, f.Name) {
				all = append(all, "chance "+c.What)
			}
		}
	}
	if !f.IsBug() && regexp.MustCompile(`(failed with one goroutine|failed in each of).*\b`+f.Name+`\b`).MatchString(output) {
		all = append(all, "failed")
	}
	if len(found.Packages) == 0 || found.Packages[0].Result == "build-failed" {
		all = append(all, "does not build")
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// describe is what a confirmed finding says, as far as the form wants to know.
func (s formSet) describe(f *form, g report.Finding) string {
	text := fmt.Sprint(g.Kind, " ", g.Effect)
	if strings.Contains(f.Want, " of ") {
		var names []string
		for _, a := range g.Accesses {
			names = append(names, a.Goroutine)
		}
		slices.Sort(names)
		text += " of " + strings.Join(slices.Compact(names), " ")
	}
	if s.holders {
		for _, a := range g.Accesses {
			if len(a.HeldBy) == 0 || slices.ContainsFunc(a.HeldBy, func(o report.OtherGoroutine) bool { return o.WaitsToWrite }) {
				text += ", held by nobody"
			}
		}
	}
	return text
}

// measureEdits measures edits of a subject that keep its bug.
func measureEdits(j *run.Job, subject string, plain, race int) (all []form) {
	subjects := readEdited()
	s := subjects[slices.IndexFunc(subjects, func(s editedSubject) bool { return s.name == subject })]
	witness := s.record(j)
	for k, e := range s.edits {
		if e.expected != bugPresent || len(all) == editsPerKind {
			continue
		}
		dir := s.copy(filepath.Join(j.Dir, fmt.Sprintf("%s-form-%d", s.name, k)))
		if !e.apply(dir) {
			continue
		}
		row := s.replay(j, e, dir, witness)
		if row.Answer == doesNotCompile {
			continue
		}
		f := form{Name: e.name, Want: string(bugPresent), Said: string(row.Answer)}
		f.Plain, f.Race = buildBoth(j, dir, ".", plain, race).repeat(j, s.test, plain, race)
		all = append(all, f)
	}
	return all
}

// failures counts runs of a test.
type failures struct {
	Failed, Runs int // in which it fails, or a race is told, or it hangs; and all
}

// bothBinaries are of the tests of one package, without and with -race.
type bothBinaries struct{ dir, plain, race string }

// buildBoth builds those that are to run.
func buildBoth(j *run.Job, dir, folder string, plain, race int) bothBinaries {
	b := bothBinaries{filepath.Join(dir, folder), filepath.Join(dir, "plain.test"), filepath.Join(dir, "race.test")}
	if plain > 0 {
		j.Go(dir, "test", "-vet=off", "-c", "-o", b.plain, "./"+folder)
	}
	if race > 0 {
		j.Go(dir, "test", "-vet=off", "-race", "-c", "-o", b.race, "./"+folder)
	}
	return b
}

func (b bothBinaries) repeat(j *run.Job, test string, plain, race int) (without, with failures) {
	return repeatTest(j, b.plain, b.dir, test, test, plain), repeatTest(j, b.race, b.dir, test, test, race)
}

// A test hangs if it has not ended after half of the limit of its process. After so many hangs, and
// after so long, it does not run again.
const (
	processLimit = 20 * time.Second
	maxHangs     = 2
	maxRepeated  = time.Minute
)

// stillRunning matches how long a test had run when the time of its process was over.
var stillRunning = regexp.MustCompile(`(?m)^\t+(Test\w+)\S* \((\w+)\)$`)

// repeatTest runs a test with a binary until it has run count times: a panic, and the limit, end the
// runs that one process makes. The pattern may name others that it needs.
func repeatTest(j *run.Job, binary, dir, pattern, test string, count int) (f failures) {
	start, hangs := time.Now(), 0
	for f.Runs < count && hangs < maxHangs && (f.Runs == 0 || time.Since(start) < maxRepeated) {
		p := j.Run(run.Command{
			Dir: dir,
			// Each run is reported, not each race once.
			Env: []string{"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 atexit_sleep_ms=50"},
			Args: []string{binary, "-test.v", "-test.run=^(" + pattern + ")$",
				fmt.Sprintf("-test.count=%d", count-f.Runs), fmt.Sprint("-test.timeout=", processLimit)},
		})
		outputs := strings.Split("\n"+p.Output, "\n=== RUN   "+test+"\n")[1:]
		if len(outputs) == 0 {
			run.Fail("%s: expected that the test runs, found: %s\n%s", test, p.State, p.Output)
		}
		for _, output := range outputs {
			if strings.Contains(output, "panic: test timed out after ") {
				if m := stillRunning.FindStringSubmatch(output); m == nil || run.Must(time.ParseDuration(m[2])) < processLimit/2 {
					break // its process had no time for it
				}
				hangs++
			}
			f.Runs++
			if showsBug(output, test) {
				f.Failed++
			}
		}
	}
	return f
}

// showsBug reports whether the output of one run shows a bug.
func showsBug(output, test string) bool {
	return slices.ContainsFunc([]string{"DATA RACE", "--- FAIL: " + test + " ", "panic:", "fatal error:"}, func(sign string) bool {
		return strings.Contains(output, sign)
	})
}

// A formPage is what the template of the page gets.
type formPage struct {
	Plain, Race int
	Kinds       []formKind
}

// A formKind is all forms of a kind.
type formKind struct {
	Kind string
	Rows []formRow
}

func (p *formPage) add(rows *run.Rows[formRow], name string, measure func() formRow) {
	rows.Measure(name, measure)
	r, ok := rows.Get(name)
	if !ok {
		return
	}
	if n := len(p.Kinds); n == 0 || p.Kinds[n-1].Kind != r.Kind {
		p.Kinds = append(p.Kinds, formKind{Kind: r.Kind})
	}
	k := &p.Kinds[len(p.Kinds)-1]
	k.Rows = append(k.Rows, r)
}

func (k formKind) forms() (all []form) {
	for _, r := range k.Rows {
		all = append(all, r.Forms...)
	}
	return all
}

// count counts the forms that are bugs, or are not, and of which some holds.
func (k formKind) count(isBug bool, holds func(form) bool) (n int) {
	for _, f := range k.forms() {
		if f.IsBug() == isBug && holds(f) {
			n++
		}
	}
	return n
}

// Of bugs, and of what is correct: how many there are, fail without and with -race, and are told rightly.
func (k formKind) Bugs() formCounts    { return k.counts(true) }
func (k formKind) Correct() formCounts { return k.counts(false) }

type formCounts struct{ All, Plain, Race, Right int }

func (k formKind) counts(isBug bool) formCounts {
	return formCounts{
		k.count(isBug, func(form) bool { return true }),
		k.count(isBug, func(f form) bool { return f.Plain.Failed > 0 }),
		k.count(isBug, func(f form) bool { return f.Race.Failed > 0 }),
		k.count(isBug, form.IsRight),
	}
}

// Sum are the counts of all kinds.
func (p formPage) Sum(isBug bool) (sum formCounts) {
	for _, k := range p.Kinds {
		c := k.counts(isBug)
		sum = formCounts{sum.All + c.All, sum.Plain + c.Plain, sum.Race + c.Race, sum.Right + c.Right}
	}
	return sum
}
