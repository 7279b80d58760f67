package bugs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// A variationSet is one package of testdata/kinds/variations: variations of one kind.
type variationSet struct {
	Name, Doc string
	Tests     []*variation
}

// A variation is one test. It has one bug, in one of the forms in which users write it. Those that
// are correct look alike and have none.
type variation struct {
	Name, Form string
	IsCorrect  bool
	IsSetup    bool     // the test only makes state for later tests, and has no bug
	Race       failures // of the runs with -race
	findings   []report.Finding
}

// variations runs the small tests of testdata/kinds/variations with go test -race and with gopredict.
// All is as it must be if each bug that -race sees is confirmed, and nothing in what is right.
func variations(j *run.Job) bool {
	count := j.Int("count", 50, "how many times each test runs with -race")
	j.Parse()
	dir, sets := copyVariations(j)
	predictVariations(j, dir, sets)
	good := true
	for _, s := range sets {
		binary := filepath.Join(dir, s.Name+".race")
		j.Go(dir, "test", "-race", "-c", "-o", binary, "./"+s.Name)
		for _, v := range s.Tests {
			v.Race = repeatTest(j, binary, filepath.Join(dir, s.Name), "TestWarm|"+v.Name, v.Name, *count)
			good = good && v.OK()
		}
	}
	j.Write(pages, "variations.md", sets)
	return good
}

// copyVariations copies the subject, a workspace of two modules, and lists its tests.
func copyVariations(j *run.Job) (dir string, sets []*variationSet) {
	dir = run.CopySubject("variations", filepath.Join(j.Dir, "variations"))
	byName := make(map[string]*variationSet)
	for _, file := range run.Must(filepath.Glob(filepath.Join(dir, "*", "*_test.go"))) {
		name := filepath.Base(filepath.Dir(file))
		clearWitnesses(filepath.Dir(file))
		f := run.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments))
		s := byName[name]
		if s == nil {
			s = &variationSet{Name: name}
			byName[name], sets = s, append(sets, s)
		}
		s.Doc += oneLine(f.Doc)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") {
				s.Tests = append(s.Tests, &variation{
					Name: fn.Name.Name, Form: oneLine(fn.Doc), IsCorrect: name == "right", IsSetup: fn.Name.Name == "TestWarm",
				})
			}
		}
	}
	return dir, sets
}

// oneLine returns a comment as one line.
func oneLine(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}

// predictVariations runs gopredict on all tests, with one command.
func predictVariations(j *run.Job, dir string, sets []*variationSet) {
	r, p := j.Predict(dir, "./...", "./rangevar/...")
	if p.Code != 1 {
		run.Fail("gopredict: expected exit code 1, as there are bugs, found %d\n%s", p.Code, p.Output)
	}
	for _, pkg := range r.Packages {
		if pkg.Result != "pass" {
			run.Fail("expected that the tests of %s pass while they are recorded, found %q\n%s", pkg.Package, pkg.Result, p.Output)
		}
	}
	byName := make(map[string]*variation)
	for _, s := range sets {
		for _, v := range s.Tests {
			byName[s.Name+"."+v.Name] = v
		}
	}
	for _, f := range r.Findings {
		v := byName[path.Base(f.Package)+"."+f.Test]
		if v == nil {
			run.Fail("the report has a finding of %s in %s, which is not there", f.Test, f.Package)
		}
		v.findings = append(v.findings, f)
	}
}

// Confirmed returns the kinds of bugs that are confirmed and fail the run, by commas; "" if there
// are none.
func (v *variation) Confirmed() string {
	var kinds []string
	for _, f := range confirmed(v.findings) {
		if f.Effect != bug.NoEffect || f.Kind.Gates() {
			kinds = append(kinds, string(f.Kind))
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

// OK reports whether a bug that -race detects is confirmed, and none in a test without a bug.
func (v *variation) OK() bool {
	if v.IsCorrect || v.IsSetup {
		return len(confirmed(v.findings)) == 0
	}
	return v.Confirmed() != "" || v.Race.Failed == 0
}

// Result is what the page says of gopredict.
func (v *variation) Result() string {
	switch kinds := v.Confirmed(); {
	case kinds != "":
		return "confirmed: " + kinds
	case v.IsCorrect:
		return "nothing"
	}
	return v.unconfirmedReason()
}

// unconfirmedReason returns the status and the reason of a variation that is not confirmed.
func (v *variation) unconfirmedReason() string {
	for _, status := range []bug.Status{bug.Confirmed, bug.Unconfirmed, bug.Infeasible} {
		for _, f := range v.findings {
			if f.Status == status {
				return strings.TrimSuffix(string(f.Status)+": "+f.Reason, ": ")
			}
		}
	}
	return "not predicted"
}

// Bugs returns the tests that are no setup.
func (s *variationSet) Bugs() []*variation {
	return slices.DeleteFunc(slices.Clone(s.Tests), func(v *variation) bool { return v.IsSetup })
}

// RaceDetected is in how many runs -race sees the bug.
func (v *variation) RaceDetected() int { return v.Race.Failed }

// Missed reports whether -race sees the bug, and gopredict does not confirm it.
func (v *variation) Missed() bool { return v.Race.Failed > 0 && v.Confirmed() == "" }
