package report

import (
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

// WriteTestEvents writes the findings of r that fail the run as go test -json would write
// subtests that fail: each is one of the test that it belongs to, called as in JUnit's
// form. So that who reads the stream counts them, their packages fail once more.
func WriteTestEvents(w io.Writer, r *Report) error {
	r = printable(r)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var events []testEvent
	var failed []string
	none := new(float64)
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Fails {
			continue
		}
		text, err := f.text()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(f.Test+"/"+f.ID, "/")
		say := func(action, output string) {
			events = append(events, testEvent{Action: action, Package: f.Package, Test: name, Output: output})
		}
		say("run", "")
		say("output", "=== RUN   "+name+"\n")
		for line := range strings.Lines(text) {
			say("output", "    "+strings.TrimSuffix(line, "\n")+"\n")
		}
		say("output", "--- FAIL: "+name+" (0.00s)\n")
		events = append(events, testEvent{Action: "fail", Package: f.Package, Test: name, Elapsed: none})
		if !slices.Contains(failed, f.Package) {
			failed = append(failed, f.Package)
		}
	}
	for _, pkg := range failed {
		events = append(events, testEvent{Action: "output", Package: pkg, Output: "FAIL\t" + pkg + "\n"},
			testEvent{Action: "fail", Package: pkg, Elapsed: none})
	}
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
