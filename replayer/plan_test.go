package replayer

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

func TestPlan(t *testing.T) {
	w, code := sample()
	plan, err := NewPlan(w, code, "10")
	require.NoError(t, err)
	assert.Empty(t, plan.Notes)
	assert.Equal(t, fmt.Sprintf(`gopredict-plan 1
order 10
test TestX
g 0 TestX:0
g 1 TestX:0.1
g 2 TestX:0.2
s 0 %d %d 1
s 1 %d 0 1
s 1 %d 103 1
h 2 %d 0 1
v 0 %d 101 1
v 1 %d 104 3
`, trace.Fork, trace.CallSiteKey("p.TestX", 5), trace.Begin, trace.Write, trace.Begin, trace.Read, trace.Write), string(plan.Text))
}

// inTurn is a property of package p.
func inTurn(t *testing.T) property.Property {
	t.Helper()
	m, err := property.Compile(property.ERE, "(lock unlock)*", []string{"lock", "unlock"})
	require.NoError(t, err)
	return property.Property{Name: "in turn", Package: "p", Calls: map[uint64]int{9: 1, 7: 0}, Monitor: m}
}

// The plan for a violation of a property has its monitor; a property that is no longer
// declared is no longer in the sources.
func TestPlanOfProperty(t *testing.T) {
	w, code := sample()
	w.Kind, w.Pattern, w.Violation, code.Properties = bug.Property, "in turn", w.Violation[1:], []property.Property{inTurn(t)}
	w.Package = "p"
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), "\nmonitor 2 2 1 2 2 0 2 2\nmethod 7 0\nmethod 9 1\ns 1 ")
	w.Pattern = "in order"
	_, err = NewPlan(w, code, "01")
	assert.EqualError(t, err, `witness is stale: no longer declared in the tests of p: property "in order"`)
}

// What goroutines get from pools has lines of its own, which are no steps.
func TestPlanPooled(t *testing.T) {
	w, code := sample()
	w.PoolSteps = []witness.Step{w.Steps[2], w.Steps[2]}
	w.PoolSteps[0].Op, w.PoolSteps[0].SiteOp, w.PoolSteps[0].PoolItem = trace.Post, "write", 3
	w.PoolSteps[1].Op, w.PoolSteps[1].SiteOp = trace.Await, "write"
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Len(t, plan.Steps, len(w.Steps))
	assert.Contains(t, string(plan.Text), fmt.Sprintf("p 1 %d 103 1 3\np 1 %d 103 1 0\n", trace.Post, trace.Await))
	assert.Equal(t, w.PoolSteps, plan.Witness.PoolSteps)
}

// Eight lines were put before all, and two more between the go statement and
// the reads: the call site moves as its nearest neighbour does.
func TestPlanMovedLines(t *testing.T) {
	w, code := sample()
	sites := sampleSites()
	for i := range sites {
		sites[i].Line += 8
		sites[i].Col++
	}
	code.Sites = SitesByFunc(append(sites, trace.Site{ID: 9, Key: 109, Func: "p.TestX", File: "x_test.go", Line: 12, Op: "branch", Expr: "ok"}))
	w.Anchors = []witness.Step{{Goroutine: "*", Op: trace.Branch, Func: "p.TestX", File: "x_test.go", Line: 6, Expr: "ok", SiteNumber: 1, Occurrence: 1}}
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Empty(t, plan.Notes)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("s 0 %d %d 1\n", trace.Fork, trace.CallSiteKey("p.TestX", 11)))
	assert.Contains(t, string(plan.Text), fmt.Sprintf("v 0 %d 101 1\n", trace.Read))

	moved := plan.Witness
	assert.Equal(t, 11, moved.Steps[0].Line)
	assert.Equal(t, 0, moved.Steps[1].Line, "a begin has no line")
	assert.Equal(t, [2]int{17, 6}, [2]int{moved.Violation[0].Line, moved.Violation[0].Col})
	assert.Equal(t, 9, w.Violation[0].Line, "the witness itself stays")

	// Without a site in the function, the file's nearest tells.
	w.Steps[0].Func = "p.helper"
	plan, err = NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("s 0 %d %d 1\n", trace.Fork, trace.CallSiteKey("p.helper", 11)))
}

// How package testing lets parallel tests begin is no part of a schedule.
func TestPlanLeavesOutAdmissions(t *testing.T) {
	w, code := sample()
	want, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	admitted := w.Steps[0]
	admitted.Op, admitted.Func = trace.Acquire, "testing.(*testState).waitParallel"
	handed := admitted
	handed.Op, handed.Func = trace.Send, "testing.(*testState).release"
	w.Steps = slices.Insert(w.Steps, 1, admitted, handed)
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Equal(t, string(want.Text), string(plan.Text))
	assert.Equal(t, want.Steps, plan.Steps)
	assert.Empty(t, plan.Notes)
}

func TestPlanDropsStepsThatAreGone(t *testing.T) {
	w, _ := sample()
	sites := sampleSites()
	plan, err := NewPlan(w, Program{Sites: SitesByFunc(append(sites[:2:2], sites[3]))}, "01")
	require.NoError(t, err)
	assert.NotContains(t, string(plan.Text), "103")
	assert.Equal(t, []string{"no longer in the sources, left out: write to ready in p.f (x.go:3)"}, plan.Notes)
	assert.Equal(t, w.Steps[:2], plan.Steps)
}

// The go statement is found by the text of its line, or by a guess.
func TestPlanFindsCallSites(t *testing.T) {
	w, code := sample()
	w.Steps[0].LineText, w.Steps[0].AlikeNumber, w.Steps[0].AlikeCount = "go f()", 1, 1
	text := "package p\n\nfunc TestX() {\n\tv = 1\n\n\n\tgo f()\n}\n"
	code.Source = &witness.Sources{ReadFile: func(name string) ([]byte, error) {
		assert.Equal(t, filepath.Join("root", "x_test.go"), name)
		return []byte(text), nil
	}}
	code.Files.Root = "root"
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("s 0 %d %d 1\n", trace.Fork, trace.CallSiteKey("p.TestX", 7)))
	assert.Equal(t, 7, plan.Steps[0].Line)
	assert.Empty(t, plan.staleParts(0))

	w.Steps[0].LineText, text, code.Source = "go g()", "package p\n\nfunc TestX() {\n\tv = 1\n\tgo f()\n}\n", &witness.Sources{ReadFile: code.Source.ReadFile}
	plan, err = NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("s 0 %d %d 1\n", trace.Fork, trace.CallSiteKey("p.TestX", 5)))
	assert.Equal(t, []string{"found again by a guess only: go in p.TestX (x_test.go:5)"}, plan.staleParts(0))
	assert.Empty(t, plan.staleParts(1), "the guess was right")
}

// A read that is new stands before the two that were there: which of the three it
// was, the text of its line tells, and without that it is a guess.
func TestPlanNumbersAgainstMoreAlike(t *testing.T) {
	w, _ := sample()
	w.Steps = w.Steps[1:]
	read := &w.Violation[0]
	read.LineText, read.AlikeNumber, read.AlikeCount = "return v", 2, 2
	added := trace.Site{ID: 5, Key: 105, Func: "p.TestX", File: "x_test.go", Line: 7, Col: 5, Op: "read", Expr: "v"}
	code := Program{Sites: SitesByFunc(append(sampleSites(), added))}
	code.Source = &witness.Sources{ReadFile: func(string) ([]byte, error) {
		return []byte("package p\n\nfunc TestX() int {\n\n\tgo f()\n\n\tadded(v)\n\tuse(v)\n\treturn v\n}\n"), nil
	}}
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("v 0 %d 101 1\n", trace.Read))
	assert.Empty(t, plan.staleParts(0))

	code.Source = nil
	plan, err = NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Equal(t, []string{"found again by a guess only: read of v in p.TestX (x_test.go:9)"}, plan.staleParts(0))
}

func TestPlanStale(t *testing.T) {
	w, _ := sample()
	_, err := NewPlan(w, Program{Sites: SitesByFunc(sampleSites()[1:3])}, "01")
	gone, ok := errors.AsType[*StaleError](err)
	require.True(t, ok, err)
	assert.Equal(t, []string{
		"no longer in the sources: read of v in p.TestX (x_test.go:9)",
		"no longer in the sources: write to v in p.f (x.go:4, occurrence 3)",
	}, gone.Reasons)
}

func TestPlanRefuses(t *testing.T) {
	w, code := sample()
	_, err := NewPlan(w, code, "")
	assert.ErrorContains(t, err, `order is "", expected 01 or 10`)
	w.Tests[0] = "Test\nv 0 1 2 3"
	_, err = NewPlan(w, code, "01")
	assert.ErrorContains(t, err, "is not the name of a test")
	w.Tests[0], w.Steps[0].Goroutine = "TestX", "a b"
	_, err = NewPlan(w, code, "01")
	assert.ErrorContains(t, err, "is not the name of a goroutine")
}

func TestReplayArgs(t *testing.T) {
	w := &witness.Witness{Tests: []string{"TestA", "TestB#3"}}
	assert.Equal(t, []string{"-test.run=^(TestA|TestB)$", "-test.count=3", "-test.timeout=30s"}, ReplayArgs(nil, w, DefaultTimeout))
	w.RunPattern = "TestA/x|B$/[/|]/z|TestC/y"
	assert.Equal(t, `-test.run=^TestA$/x|^TestB$/[/|]/z`, ReplayArgs(nil, w, DefaultTimeout)[0])
	w.RunPattern = "Other/x"
	assert.Equal(t, `-test.run=^(TestA|TestB)$`, ReplayArgs(nil, w, DefaultTimeout)[0])
}

func TestArgsWithout(t *testing.T) {
	args := []string{"-test.run=A|B/x", "-test.v=test2json", "-test.timeout", "1m", "-test.skip", "C", "-test.count=2", "-test.short", "-own=1", "a", "-test.run=no"}
	assert.Equal(t, []string{"-test.skip=C|^(TestA|TestB)$", "-test.timeout=30s", "-test.run=A|B/x", "-test.v=true", "-test.count=2", "-test.short", "-own=1", "a", "-test.run=no"},
		RerunArgsWithout(args, []string{"TestA", "TestB#2"}, DefaultTimeout))
	assert.Equal(t, []string{"-test.skip=^(TestA)$", "-test.timeout=30s"}, RerunArgsWithout([]string{"-test.paniconexit0=false", "-test.coverprofile=c"}[1:], []string{"TestA"}, DefaultTimeout))
}

func TestSubtestFilter(t *testing.T) {
	assert.Equal(t, "A/b", SubtestFilter([]string{"-test.v=true", "-test.run=A/b", "x"}))
	assert.Equal(t, "A/b", SubtestFilter([]string{"-test.run", "A/b"}))
	assert.Empty(t, SubtestFilter([]string{"-test.run=A"}), "selects no subtests")
	assert.Empty(t, SubtestFilter([]string{"user", "-test.run=A/b"}), "the user's own argument")
}

func TestParseVerdictErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"deadlock\n", "v:1: deadlock before the schedule was over"},
		{"steps 3 2\n", "v:1: found steps \"3 2\""},
		{"confirmed\nleft x\n", "v:2: found \"left x\""},
		{"left x\nconfirmed\n", "v:2: confirmed after the schedule was left (x)"},
		{"left \n", "left comes once, with its reason"},
		{"stand a b c d e f\n", "v:1: found stand"},
		{"stand a 1 8 200 - 0\n", "v:1: found stand"},
		{"stand a 1 8 1 x 0\n", `v:1: stand has the value "x", expected a number or -`},
		{"blocked a b c\n", "blocked has 3 fields"},
		{"end\nend\n", `v:2: found "end" after the end`},
		{"\n", `v:1: found "", expected steps`},
	} {
		_, err := ParseVerdict("v", strings.NewReader(c.in))
		assert.ErrorContains(t, err, c.want, c.in)
	}
	_, err := ParseVerdict("v", strings.NewReader(strings.Repeat("confirmed\n", maxVerdict/10+1)))
	assert.ErrorContains(t, err, "longer than")
}

func TestParseVerdictCutOff(t *testing.T) {
	p, err := ParseVerdict("v", strings.NewReader("steps 1 2\nconfir"))
	require.NoError(t, err)
	assert.Equal(t, RuntimeVerdict{StepsDone: 1, StepsTotal: 2}, p)
}

// A plan of whatever witness can be read has a line for each thing, and nothing that the
// witness names begins one.
func FuzzNewPlan(f *testing.F) {
	w, code := sample()
	var text strings.Builder
	require.NoError(f, w.Write(&text))
	f.Add(text.String())
	w.Kind = "deadlock"
	w.Violation = w.Steps[1:]
	text.Reset()
	require.NoError(f, w.Write(&text))
	f.Add(text.String())
	words := regexp.MustCompile(`^(gopredict-plan|order|stuck|test|monitor|method|[a-z]) [\w -]`)
	f.Fuzz(func(t *testing.T, in string) {
		w, err := witness.Parse("w", strings.NewReader(in))
		if err != nil {
			return
		}
		plan, err := NewPlan(w, code, "01")
		if err != nil {
			return
		}
		tests := 0
		for line := range strings.Lines(string(plan.Text)) {
			assert.True(t, words.MatchString(line) || line == "stuck\n" || line == "still\n", "%q", line)
			if strings.HasPrefix(line, "test ") {
				tests++
			}
		}
		assert.LessOrEqual(t, tests, len(w.Tests))
	})
}

func FuzzParseVerdict(f *testing.F) {
	f.Add([]byte("steps 1 2\nstand TestX:0 c000 8 2 7 1\nconfirmed\nend\n"))
	f.Add([]byte("confirmed\ndeadlock\nblocked TestX:0 chan_send f a.go:1\n"))
	f.Add([]byte("steps 1 2\nleft why\nblocked TestX:0 chan_send f a.go:1\nend\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		p, err := ParseVerdict("v", strings.NewReader(string(in)))
		if err == nil {
			assert.False(t, p.Confirmed && p.LeftReason != "")
			assert.LessOrEqual(t, p.StepsDone, p.StepsTotal)
		}
	})
}

// What a goroutine has begun to wait in is a step; before what it has not, it stands.
func TestPlanOfWhatBlocks(t *testing.T) {
	w, code := sample()
	w.Kind = "deadlock"
	w.Violation[1] = w.Steps[2]
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	text := string(plan.Text)
	assert.Contains(t, text, "\norder 01\nstuck\ntest TestX\n")
	assert.Contains(t, text, fmt.Sprintf("\ns 1 %d 103 1\n", trace.Write))
	assert.True(t, strings.HasSuffix(text, fmt.Sprintf("\nv 0 %d 101 1\n", trace.Read)), text)
	assert.Equal(t, 1, strings.Count(text, "\nv "))
}

// What ends the recorded run by a panic has let nobody go further than its steps, but for a test that
// is over, whose cleanup is no step.
func TestPlanOfPanic(t *testing.T) {
	for _, c := range []struct {
		violation, step trace.Kind
		want            string
	}{
		{trace.Panic, trace.Write, "gopredict-plan 1\norder 01\nstill\ntest TestX\n"},
		{trace.Panic, trace.TestEnd, "gopredict-plan 1\norder 01\ntest TestX\n"},
		{trace.TestEnd, trace.Write, "gopredict-plan 1\norder 01\ntest TestX\n"},
	} {
		w := &witness.Witness{
			Kind: bug.Failure, Tests: []string{"TestX"}, Steps: []witness.Step{{Op: c.step}}, Violation: []witness.Step{{Op: c.violation}},
		}
		text, err := planText(w, "01", nil, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(text))
	}
}
