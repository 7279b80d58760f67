package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// A testEvent is a line of what go test -json prints, as `go doc test2json` has it.
type testEvent struct {
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"` // in seconds
	Output  string   `json:",omitempty"`
}

// A failingTest is a test with findings that fail the run.
type failingTest struct {
	pkg, name string
	output    []string // lines, with their ends
}

// failingTests returns the tests with findings that fail the run, package by package, and the
// report without these findings. A finding outside of tests gets a test named by its id.
func (r *Report) failingTests() (tests []*failingTest, rest *Report, err error) {
	rest = printable(r)
	for i := range rest.Findings {
		f := &rest.Findings[i]
		if !f.FailsRun {
			continue
		}
		text, err := f.text()
		if err != nil {
			return nil, nil, err
		}
		name := cmp.Or(f.Test, f.ID)
		k := slices.IndexFunc(tests, func(t *failingTest) bool { return t.pkg == f.Package && t.name == name })
		if k < 0 {
			k = len(tests)
			tests = append(tests, &failingTest{pkg: f.Package, name: name})
		}
		for line := range strings.Lines(text) {
			tests[k].output = append(tests[k].output, "    "+line)
		}
	}
	slices.SortStableFunc(tests, func(a, b *failingTest) int { return cmp.Compare(a.pkg, b.pkg) })
	rest.Findings = slices.DeleteFunc(rest.Findings, func(f Finding) bool { return f.FailsRun })
	return tests, rest, nil
}

// WriteTestEvents writes r as go test -json writes tests. Each test with findings that fail the run
// is there once more: it fails with the findings as its output, and so does its package. The
// rest of the text is output of the last package, of which there must be one. On standard error,
// readers of the stream would count it as errors.
func WriteTestEvents(w io.Writer, r *Report, opts TextOptions) error {
	tests, rest, err := r.failingTests()
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := WriteText(&text, rest, opts); err != nil {
		return err
	}
	none := new(float64)
	var events []testEvent
	for line := range strings.Lines(text.String()) {
		events = append(events, testEvent{Action: "output", Package: r.Packages[len(r.Packages)-1].Package, Output: line})
	}
	for i, t := range tests {
		events = append(events, testEvent{Action: "run", Package: t.pkg, Test: t.name})
		for _, line := range slices.Concat([]string{"=== RUN   " + t.name + "\n"}, t.output, []string{"--- FAIL: " + t.name + " (0.00s)\n"}) {
			events = append(events, testEvent{Action: "output", Package: t.pkg, Test: t.name, Output: line})
		}
		events = append(events, testEvent{Action: "fail", Package: t.pkg, Test: t.name, Elapsed: none})
		if i == len(tests)-1 || tests[i+1].pkg != t.pkg {
			events = append(events, testEvent{Action: "output", Package: t.pkg, Output: "FAIL\t" + t.pkg + "\n"},
				testEvent{Action: "fail", Package: t.pkg, Elapsed: none})
		}
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	_, err = w.Write(untrusted.JSON(lines.Bytes()))
	return err
}

// eventMark begins the lines of a test binary that test2json takes for events.
const eventMark = "\x16"

// WriteMarked writes r as a test binary does that go test -json runs: the tests with findings that
// fail the run come last, once more, and fail.
func WriteTestBinaryOutput(w io.Writer, r *Report, opts TextOptions) error {
	tests, rest, err := r.failingTests()
	if err != nil {
		return err
	}
	if err := WriteText(w, rest, opts); err != nil {
		return err
	}
	for _, t := range tests {
		if _, err := io.WriteString(w, eventMark+"=== RUN   "+t.name+"\n"+strings.Join(t.output, "")+eventMark+"--- FAIL: "+t.name+" (0.00s)\n"); err != nil {
			return err
		}
	}
	return nil
}
