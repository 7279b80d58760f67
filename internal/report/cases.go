package report

import (
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Case is a test or subtest of the recorded run, or an example.
type Case struct {
	Test     string  `json:"test"`
	Failed   bool    `json:"failed,omitempty"` // or it has come to no end
	Skipped  bool    `json:"skipped,omitempty"`
	ElapsedS float64 `json:"elapsed_s"` // in seconds; 0 if it has come to no end
	// Output is what it has logged, or an example has printed, if it has failed or was
	// skipped: the first lines of that.
	Output []string `json:"output,omitempty"`
}

// noEnd is what is told of a test that has not ended: a panic or os.Exit was before that.
const noEnd = "it has come to no end: what the run has printed says why"

// CasesIn returns the tests and subtests in t, in the order in which they began, and then the
// examples. One that ran several times, as by -count, is there as often. Of one whose end was
// not recorded, as recording had stopped, it is taken that it has passed.
func CasesIn(t *trace.Trace) []Case {
	results, logs := make(map[string][]Case), make(map[string][]string)
	for _, e := range t.Tested {
		if e.Action == "output" {
			logs[e.Test] = append(logs[e.Test], e.Output)
			continue
		}
		c := Case{Test: e.Test, Failed: e.Action == "fail", Skipped: e.Action == "skip", ElapsedS: e.Elapsed.Seconds()}
		if c.Failed || c.Skipped {
			c.Output = logs[e.Test]
		}
		delete(logs, e.Test)
		results[e.Test] = append(results[e.Test], c)
	}
	var out []Case
	began := make(map[string]bool)
	for _, e := range t.Events {
		name := ""
		if e.Kind == trace.TestBegin {
			name = t.Names[e.Obj]
		}
		if name == "" || began[name] {
			continue
		}
		began[name] = true
		out = append(out, results[name]...)
		if len(results[name]) == 0 && t.Meta.Limit > 0 {
			out = append(out, Case{Test: name})
		} else if len(results[name]) == 0 {
			out = append(out, Case{Test: name, Failed: true, Output: append(logs[name], noEnd)})
		}
	}
	for _, e := range t.Tested {
		if e.Action != "output" && !began[e.Test] {
			began[e.Test] = true
			out = append(out, results[e.Test]...)
		}
	}
	return out
}
