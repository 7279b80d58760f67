package evidence

import (
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// CasesIn returns the tests and subtests in t, in the order in which they began, and then the
// examples. A test that ran several times, by -count, is there several times. A test whose end was
// not recorded, as recording had stopped, counts as passed.
func RecordedTestCases(t *trace.Trace) []report.TestCase {
	results, logs := make(map[string][]report.TestCase), make(map[string][]string)
	for _, e := range t.TestEvents {
		if e.Action == "output" {
			logs[e.Test] = append(logs[e.Test], e.Output)
			continue
		}
		c := report.TestCase{Test: e.Test, Failed: e.Action == "fail", Skipped: e.Action == "skip", ElapsedS: e.Elapsed.Seconds()}
		if c.Failed || c.Skipped {
			c.Output = logs[e.Test]
		}
		delete(logs, e.Test)
		results[e.Test] = append(results[e.Test], c)
	}
	var out []report.TestCase
	began := make(map[string]bool)
	for _, e := range t.Events {
		name := ""
		if e.Kind == trace.TestBegin {
			name = t.TestNames[e.Obj]
		}
		if name == "" || began[name] {
			continue
		}
		began[name] = true
		out = append(out, results[name]...)
		if len(results[name]) == 0 && t.Meta.Limit > 0 {
			out = append(out, report.TestCase{Test: name})
		} else if len(results[name]) == 0 {
			out = append(out, report.TestCase{Test: name, Failed: true, Output: append(logs[name], report.NoEndText)})
		}
	}
	for _, e := range t.TestEvents {
		if e.Action != "output" && !began[e.Test] {
			began[e.Test] = true
			out = append(out, results[e.Test]...)
		}
	}
	return out
}
