package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/golden"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func written(t *testing.T, write func(io.Writer, *Report) error, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, r))
	return b.String()
}

func annotations(w io.Writer, r *Report) error { return WriteAnnotations(w, r, "services/bank") }

// What CI systems are told of two reports.
func TestFormats(t *testing.T) {
	for _, subject := range []string{"bank", "abba"} {
		r := stored(t, subject)
		golden.Equal(t, subject+".sarif", written(t, WriteSARIF, r))
		golden.Equal(t, subject+".junit.xml", written(t, WriteJUnit, r))
		golden.Equal(t, subject+".gitlab.json", written(t, WriteGitLab, r))
		golden.Equal(t, subject+".github.txt", written(t, annotations, r))
		golden.Equal(t, subject+".md", written(t, WriteMarkdown, r))
	}
}

// A finding that fails no run is a warning everywhere.
func TestFormatsOfWarnings(t *testing.T) {
	r := stored(t, "bank")
	r.Findings[0].Fails = false
	assert.Contains(t, written(t, WriteSARIF, r), `"level": "warning",`+"\n"+`          "message"`)
	assert.NotContains(t, written(t, WriteJUnit, r), "<failure")
	assert.Contains(t, written(t, WriteGitLab, r), `"severity": "minor"`)
	assert.Regexp(t, `^::warning file=services/bank/bank.go,line=31,`, written(t, annotations, r))
}

// What SARIF 2.1.0 asks for, of all stored reports and of a long one: rules are there, steps
// of a flow have each a number of their own, there are no more than a thousand, files are
// relative URIs.
func TestSARIF(t *testing.T) {
	odd := stored(t, "bank")
	odd.Findings[0].Accesses[0].File = "a b/ü#1.go"
	for _, r := range []*Report{stored(t, "bank"), stored(t, "abba"), stored(t, "leftbehind"), stored(t, "crowd"), long(5000), odd, {}} {
		var log sarifLog
		d := json.NewDecoder(strings.NewReader(written(t, WriteSARIF, r)))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&log))
		assert.Equal(t, "2.1.0", log.Version)
		run := log.Runs[0]
		assert.Len(t, run.Tool.Driver.Rules, len(bug.Kinds()))
		for _, res := range run.Results {
			assert.Equal(t, res.RuleID, run.Tool.Driver.Rules[res.RuleIndex].ID)
			assert.Contains(t, []string{"error", "warning"}, res.Level)
			orders, steps := make(map[int]bool), 0
			require.Len(t, res.Flows, 1)
			for _, thread := range res.Flows[0].Threads {
				last := 0
				for _, s := range thread.Locations {
					assert.Greater(t, s.Order, last)
					last = s.Order
					assert.False(t, orders[s.Order])
					orders[s.Order] = true
					steps++
					assert.Contains(t, []string{"important", "essential", "unimportant"}, s.Importance)
				}
			}
			assert.LessOrEqual(t, steps, maxFlow)
			for i, l := range res.Related {
				assert.Equal(t, i+1, l.ID)
			}
			for _, l := range res.Locations {
				assert.Regexp(t, regexp.MustCompile(`^[\w./%-]+$`), l.Physical.Artifact.URI)
				assert.Equal(t, "%SRCROOT%", l.Physical.Artifact.Base)
			}
		}
	}
}

// JUnit has the tests' own results, and a failed case for each finding that fails the run.
func TestJUnit(t *testing.T) {
	r := stored(t, "bank")
	r.Packages[0].Cases = []Case{{"TestA", false}, {"TestB", true}}
	r.Packages = append(r.Packages, Package{Package: "example.com/broken", Result: "build-failed"})
	r.Findings[0].Detail = []string{"\x1b[31m<&\x00"}
	var out junitSuites
	require.NoError(t, xml.Unmarshal([]byte(written(t, WriteJUnit, r)), &out))
	assert.Equal(t, 4, out.Tests-out.Suites[1].Tests)
	assert.Equal(t, 3, out.Failures)
	assert.Nil(t, out.Suites[0].Cases[0].Failure)
	assert.NotNil(t, out.Suites[0].Cases[1].Failure)
	assert.Equal(t, "TestReceipt/race-4f367a", out.Suites[0].Cases[2].Name)
	assert.Contains(t, out.Suites[0].Cases[2].Failure.Text, "CONFIRMED: DATA RACE")
	assert.Equal(t, "build-failed", out.Suites[2].Cases[0].Failure.Type)
}

// What a test or a program is called cannot end an annotation, or be markup.
func TestGitHubEscapes(t *testing.T) {
	r := stored(t, "bank")
	f := &r.Findings[0]
	f.Accesses[0].Expr, f.Accesses[0].File, f.Test = "m[a,b]\n::error::x", "a,b:c.go", "Test<b>|```"
	lines := strings.Split(strings.TrimSpace(written(t, annotations, r)), "\n")
	assert.Len(t, lines, 1)
	assert.Contains(t, lines[0], "file=services/bank/a%2Cb%3Ac.go,")
	text := written(t, WriteMarkdown, r)
	assert.Contains(t, text, "<summary>race-4f367a in Test&lt;b&gt;|")
	assert.Contains(t, text, "````text\n")
}

func TestCasesIn(t *testing.T) {
	tr := tracetest.Parse(t, "0 w x")
	tr.Names = []string{"TestA", "TestA/sub", "TestB"}
	event := func(k trace.Kind, name, failed uint64) trace.Event {
		return trace.Event{Kind: k, Obj: name, Val: failed}
	}
	tr.Events = []trace.Event{
		event(trace.TestBegin, 0, 0), event(trace.TestBegin, 1, 0), event(trace.TestEnd, 1, 1), event(trace.TestEnd, 0, 0), event(trace.TestBegin, 2, 0),
	}
	assert.Equal(t, []Case{{"TestA", false}, {"TestA/sub", true}, {"TestB", true}}, CasesIn(tr))
	tr.Meta.Limit = 1
	assert.Equal(t, []Case{{"TestA", false}, {"TestA/sub", true}, {"TestB", false}}, CasesIn(tr))
}
