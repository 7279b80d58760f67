package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/places"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// What a search that has not found the bug says of it: it is fixed only where nothing is missing.
func TestAnswerWithoutBug(t *testing.T) {
	read := witness.Step{Goroutine: "TestX:0.1", Op: trace.Read, Expr: "a.n", Func: "m.f", File: "a.go", Line: 3, SiteNumber: 1}
	write := witness.Step{Goroutine: "TestX:0.2", Op: trace.Write, Expr: "a.n", Func: "m.g", File: "a.go", Line: 7, SiteNumber: 1}
	fails := replayer.Verdict{Outcome: replayer.Outcome{Effect: bug.TestFailure}}
	passes := replayer.Verdict{Outcome: replayer.Outcome{Effect: bug.NoEffect}}
	// A run of a build in which only other code still uses the field, or one of another name.
	uses := func(expr string) ledger.PredictedRecording {
		return ledger.PredictedRecording{Recording: &recording.Recording{Trace: &trace.Trace{
			Events: []trace.Event{{Kind: trace.Read, Site: 1}},
			Sites:  map[trace.SiteID]trace.Site{1: {ID: 1, Func: "m.h", Expr: expr, File: "/m/a.go", Line: 9}},
		}}}
	}
	for name, c := range map[string]struct {
		kind    bug.Kind
		change  func(c *rechecking)
		status  bug.Status
		because string
	}{
		"all is there":            {bug.Race, func(c *rechecking) {}, bug.Fixed, ""},
		"the replay has failed":   {bug.Race, func(c *rechecking) { c.result.Verdicts[0] = fails }, bug.Unconfirmed, "TestX fails in another order"},
		"a recording has failed":  {bug.Assertion, func(c *rechecking) { c.testFailed = true }, bug.Unconfirmed, "TestX fails in another order"},
		"it has failed otherwise": {bug.Race, func(c *rechecking) { c.testFailed = true }, bug.Fixed, ""},
		"the replay has hung":     {bug.Race, func(c *rechecking) { c.result.Verdicts[0].Outcome.TimedOut = true }, bug.Unconfirmed, "crashes or hangs"},
		"a prediction is open":    {bug.Race, func(c *rechecking) { c.doubt = "another schedule was predicted" }, bug.Unconfirmed, "another schedule was predicted"},
		"a place is not reached":  {bug.Race, func(c *rechecking) { c.places.ReachedByRun[1] = false }, bug.Unconfirmed, "TestX does not come to a.n (a.go:7)"},
		"no goroutine is left":    {bug.Race, func(c *rechecking) { c.places.Gone, c.startedGoroutines = []int{1}, false }, bug.Unconfirmed, "does not start goroutines"},
		"one access is deleted":   {bug.Race, func(c *rechecking) { c.places.Gone, c.places.ReachedByRun = []int{1}, []bool{true, false} }, bug.Fixed, ""},
		"both are gone":           {bug.Race, func(c *rechecking) { c.places.Gone, c.places.ReachedByRun = []int{0, 1}, make([]bool, 2) }, bug.Unconfirmed, "nothing shows what has become of a.n (a.go:3)"},
		"both are gone, not the field": {bug.Race, func(c *rechecking) {
			c.places.Gone, c.places.ReachedByRun, c.runs = []int{0, 1}, make([]bool, 2), []ledger.PredictedRecording{uses("b.n")}
		}, bug.Fixed, ""},
		"both are gone, another name": {bug.Race, func(c *rechecking) {
			c.places.Gone, c.places.ReachedByRun, c.runs = []int{0, 1}, make([]bool, 2), []ledger.PredictedRecording{uses("*p")}
		}, bug.Unconfirmed, "nothing shows what has become"},
		"both are gone, the line is elsewhere": {bug.Race, func(c *rechecking) {
			c.committed.Violation[0].LineText, c.committed.Violation[1].Op, c.committed.Violation[1].LineText = "use(n)", trace.Read, "use(n)"
			c.session.sourceNames.Lines.ReadFile = func(string) ([]byte, error) { return []byte("package m\n\n\n\n\n\n\n\n\tuse(n)\n"), nil }
			c.places.Gone, c.places.ReachedByRun, c.runs = []int{0, 1}, make([]bool, 2), []ledger.PredictedRecording{uses("b.m")}
		}, bug.Fixed, ""},
		"both are gone, another line": {bug.Race, func(c *rechecking) {
			c.committed.Violation[0].LineText = "use(n)"
			c.session.sourceNames.Lines.ReadFile = func(string) ([]byte, error) { return []byte("package m\n\n\n\n\n\n\n\n\tuse(m)\n"), nil }
			c.places.Gone, c.places.ReachedByRun, c.runs = []int{0, 1}, make([]bool, 2), []ledger.PredictedRecording{uses("b.m")}
		}, bug.Unconfirmed, "nothing shows what has become"},
		"a failure is not predicted": {bug.Failure, func(c *rechecking) {}, bug.Unconfirmed, "which is no proof"},
		"an assertion is refuted":    {bug.Assertion, func(c *rechecking) {}, bug.Fixed, ""},
		"an assertion is unknown":    {bug.Assertion, func(c *rechecking) { c.notRefuted = true }, bug.Unconfirmed, "which is no proof"},
		"the witness is stale": {bug.Race, func(c *rechecking) {
			c.result.Stale, c.doubt = []string{"no longer in the sources"}, "it is undecided"
		}, bug.Stale, "it is undecided"},
	} {
		w := &witness.Witness{Kind: c.kind, Tests: []string{"TestX"}, Violation: []witness.Step{read, write}}
		r := &rechecking{
			committed: w, result: replayer.Result{Witness: w, Replays: 1, Verdicts: []replayer.Verdict{passes}},
			places: places.New(w, nil), startedGoroutines: true,
		}
		r.loop = &loop{session: &session{sourceNames: recording.Sources{Lines: new(witness.Sources)}}}
		r.places.ReachedByRun = []bool{true, true}
		c.change(r)
		got := r.answerWithoutBug()
		assert.Equal(t, c.status, got.Status, name)
		assert.Contains(t, got.Reason, c.because, name)
	}
}

// What further runs say of an assertion that has not failed so far: only runs that are all there are
// prove anything, and only if the test passes in each of them.
func TestAnswerAfter(t *testing.T) {
	asserts := witness.Step{Goroutine: "TestX:0", Op: trace.Branch, Expr: "got != 2", Func: "m.TestX", File: "x_test.go", Line: 9, SiteNumber: 1}
	elsewhere := asserts
	elsewhere.Line = 12
	type further struct {
		kind bug.Kind
		at   witness.Step
		report.Finding
	}
	for name, c := range map[string]struct {
		complete bool
		findings []further
		status   bug.Status
		because  string
	}{
		"nothing":                     {true, nil, bug.Fixed, ""},
		"nothing, of some runs":       {false, nil, bug.Unconfirmed, "does not fail in 0 orders"},
		"undecided":                   {true, []further{{bug.Assertion, asserts, report.Finding{Undecided: true}}}, bug.Fixed, ""},
		"undecided, of some runs":     {false, []further{{bug.Assertion, asserts, report.Finding{Undecided: true}}}, bug.Unconfirmed, "left it open"},
		"it has failed once":          {true, []further{{bug.Assertion, asserts, report.Finding{Replays: 2, Reproduced: 1}}}, bug.Unconfirmed, "left it open"},
		"it fails":                    {true, []further{{bug.Assertion, asserts, report.Finding{Status: bug.Confirmed, Effect: bug.TestFailure}}}, bug.Confirmed, ""},
		"it fails elsewhere":          {true, []further{{bug.Failure, elsewhere, report.Finding{Status: bug.Confirmed, Effect: bug.TestFailure}}}, bug.Unconfirmed, "TestX fails in another order"},
		"it has failed elsewhere":     {true, []further{{bug.Failure, elsewhere, report.Finding{Replays: 1}}}, bug.Unconfirmed, "TestX fails in another order"},
		"it fails after minutes only": {true, []further{{bug.Failure, elsewhere, report.Finding{Replays: 2, Reproduced: 2}}}, bug.Fixed, ""},
		"a race":                      {true, []further{{bug.Race, elsewhere, report.Finding{Status: bug.Confirmed, Effect: bug.NoEffect}}}, bug.Fixed, ""},
	} {
		w := &witness.Witness{Kind: bug.Assertion, Tests: []string{"TestX"}, Violation: []witness.Step{asserts}}
		r := &rechecking{committed: w, result: replayer.Result{Witness: w, Replays: 1}, places: places.New(w, nil), startedGoroutines: true, notRefuted: true}
		r.places.ReachedByRun[0] = true
		violations := make(map[string]*witness.Witness)
		var findings []report.Finding
		for _, f := range c.findings {
			v := &witness.Witness{Kind: f.kind, Violation: []witness.Step{f.at}}
			f.Finding.Kind, f.Accesses = f.kind, []report.Access{{Expr: f.at.Expr, Position: report.Position{File: f.at.File, Line: f.at.Line}}}
			if f.Status == "" {
				f.Status = bug.Unconfirmed
			}
			findings, violations[f.BugKey()] = append(findings, f.Finding), v
		}
		got := r.answerAfter(r.answerWithoutBug(), c.complete, findings, violations)
		assert.Equal(t, c.status, got.Status, name)
		assert.Contains(t, got.Reason, c.because, name)
	}
}

// The order of a witness was followed where its steps were made and its goroutines were held back at
// their places, or had nothing more to do before the test was over.
func TestIsOrderFollowed(t *testing.T) {
	at := func(g string, op trace.Kind, line int) witness.Step {
		return witness.Step{Goroutine: "TestX:" + g, Op: op, Func: "m.f", File: "a.go", Line: line, Occurrence: 1}
	}
	event := func(g trace.GID, op trace.Kind, line int) trace.Event {
		return trace.Event{G: g, Kind: op, Site: trace.SiteID(line)}
	}
	begin := witness.Step{Goroutine: "TestX:0.1", Op: trace.Begin, Occurrence: 1}
	steps := []witness.Step{at("0", trace.Post, 2), begin, at("0.1", trace.Await, 3)}
	made := []trace.Event{event(0, trace.Post, 2), event(1, trace.Begin, 0), event(1, trace.Await, 3)}
	for name, c := range map[string]struct {
		steps  []witness.Step
		events []trace.Event
		want   bool
	}{
		"all is there":                    {steps, append(made[:3:3], event(0, trace.Read, 9), event(1, trace.Post, 4)), true},
		"the test ends before":            {steps, append(made[:3:3], event(0, trace.Read, 9)), true},
		"the goroutine does other things": {steps, append(made[:3:3], event(1, trace.Write, 7)), false},
		"the goroutine ends":              {steps, append(made[:3:3], event(1, trace.End, 0)), false},
		"a step was not made":             {steps, made[:2], false},
		"another goroutine, perhaps":      {steps[:2], made[:2], false},
	} {
		w := &witness.Witness{Kind: bug.Assertion, Tests: []string{"TestX"}, Steps: c.steps, Holds: []witness.Step{at("0.1", trace.Post, 4)}, Violation: []witness.Step{at("0", trace.Branch, 9)}}
		tr := &trace.Trace{Events: c.events, Goroutines: []trace.Goroutine{{Test: "TestX", Path: "0"}, {ID: 1, Test: "TestX", Path: "0.1"}}, Sites: make(map[trace.SiteID]trace.Site)}
		for _, e := range c.events {
			if e.Site != 0 {
				tr.Sites[e.Site] = trace.Site{ID: e.Site, Func: "m.f", Line: int(e.Site)}
			}
		}
		passes := replayer.Verdict{StepsDone: 3, StepsTotal: 3, Outcome: replayer.Outcome{Effect: bug.NoEffect}}
		r := &rechecking{committed: w, replayed: tr, result: replayer.Result{Witness: w, Replays: 1, Verdicts: []replayer.Verdict{passes}}}
		assert.Equal(t, c.want, r.isOrderFollowed(), name)
	}
}
