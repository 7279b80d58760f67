package report

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// A testEvent is a line of what go test -json prints, as `go doc test2json` has it.
type testEvent struct {
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"` // in seconds
	Output  string   `json:",omitempty"`
}

// WriteTestEvents writes the findings of r that fail the run as go test -json writes tests
// that fail: each test that has some comes once more, with them as its output, and so does
// its package. A finding outside of all tests has a test of its own, called by its id.
// What else WriteText writes is output of the last package: on standard error, who reads
// the stream would count it as errors. There must be a package.
func WriteTestEvents(w io.Writer, r *Report, opts TextOptions) error {
	rest := *r
	rest.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Fails })
	var text strings.Builder
	if err := WriteText(&text, &rest, opts); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for line := range strings.Lines(text.String()) {
		if err := enc.Encode(testEvent{Action: "output", Package: r.Packages[len(r.Packages)-1].Package, Output: line}); err != nil {
			return err
		}
	}
	r = printable(r)
	type test struct{ pkg, name string }
	var tests []test
	output := make(map[test][]string)
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Fails {
			continue
		}
		text, err := f.text()
		if err != nil {
			return err
		}
		t := test{f.Package, cmp.Or(f.Test, f.ID)}
		if output[t] == nil {
			tests = append(tests, t)
		}
		for line := range strings.Lines(text) {
			output[t] = append(output[t], "    "+line)
		}
	}
	// All of a package's tests, and then its own end.
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.pkg, b.pkg) })
	none := new(float64)
	for i, t := range tests {
		events := []testEvent{{Action: "run"}, {Action: "output", Output: "=== RUN   " + t.name + "\n"}}
		for _, line := range append(output[t], "--- FAIL: "+t.name+" (0.00s)\n") {
			events = append(events, testEvent{Action: "output", Output: line})
		}
		events = append(events, testEvent{Action: "fail", Elapsed: none})
		for k := range events {
			events[k].Test = t.name
		}
		if i == len(tests)-1 || tests[i+1].pkg != t.pkg {
			events = append(events, testEvent{Action: "output", Output: "FAIL\t" + t.pkg + "\n"}, testEvent{Action: "fail", Elapsed: none})
		}
		for _, e := range events {
			e.Package = t.pkg
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
	}
	return nil
}
