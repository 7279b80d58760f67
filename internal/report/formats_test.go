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
	r.Findings[0].FailsRun = false
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

// The driver has the version that the run was made with; that it follows semantic versioning is
// said where it does.
func TestSARIFVersion(t *testing.T) {
	driver := func(version string) sarifDriver {
		var log sarifLog
		require.NoError(t, json.Unmarshal([]byte(written(t, WriteSARIF, &Report{Version: version})), &log))
		return log.Runs[0].Tool.Driver
	}
	released := driver("v0.1.0 (revision 5e23d00a4f12)")
	assert.Equal(t, []string{"v0.1.0 (revision 5e23d00a4f12)", "0.1.0"}, []string{released.Version, released.Semantic})
	made := driver("(devel)")
	assert.Equal(t, []string{"(devel)", ""}, []string{made.Version, made.Semantic})
	assert.Empty(t, driver("").Version)
}

// JUnit has the tests' own results, and a failed case for each finding that fails the run.
func TestJUnit(t *testing.T) {
	r := stored(t, "bank")
	r.Packages[0].Cases = []TestCase{
		{Test: "TestA", ElapsedS: 1.5}, {Test: "TestB", Failed: true, ElapsedS: 0.25, Output: []string{"b_test.go:3: \x00 <two", "        lines"}},
		{Test: "TestC", Skipped: true, Output: []string{"c_test.go:4: not here"}},
	}
	r.Packages = append(r.Packages, Package{Package: "example.com/broken", Result: "build-failed"})
	r.Findings[0].Detail = []string{"\x1b[31m<&\x00"}
	var out junitSuites
	require.NoError(t, xml.Unmarshal([]byte(written(t, WriteJUnit, r)), &out))
	assert.Equal(t, 5, out.Tests-out.Suites[1].Tests)
	assert.Equal(t, 3, out.Failures)
	s := out.Suites[0]
	assert.Equal(t, 1, s.Skipped)
	assert.Equal(t, "1.500", s.Cases[0].Time)
	assert.Nil(t, s.Cases[0].Failure)
	assert.Equal(t, "--- FAIL: TestB (0.25s)\n    b_test.go:3: \ufffd <two\n            lines\n", s.Cases[1].Failure.Text)
	assert.Equal(t, "c_test.go:4: not here", s.Cases[2].Skipped.Message)
	assert.Equal(t, "TestReceipt/race-4f367a", s.Cases[3].Name)
	assert.Contains(t, s.Cases[3].Failure.Text, "CONFIRMED: DATA RACE")
	assert.Equal(t, "build-failed", out.Suites[2].Cases[0].Failure.Type)
}

// That the test fails is said once.
func TestHeading(t *testing.T) {
	f := Finding{Kind: bug.Assertion, Test: "TestA", Effect: bug.TestFailure, Accesses: []Access{{Op: "assert", Expr: "n != 3", Position: Position{File: "a_test.go", Line: 5}}}}
	assert.Equal(t, []string{"ASSERTION FAILURE in TestA: In another order of the goroutines the test fails: n != 3 (a_test.go:5)."}, f.Heading())
	f.Effect = bug.Panic
	assert.Len(t, f.Heading(), 2)
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

// A replay has no packages: JUnit has its bugs by theirs, and what has become of other witnesses.
func TestJUnitOfReplay(t *testing.T) {
	r := stored(t, "bank")
	r.Packages = nil
	r.Witnesses = []WitnessState{
		{Witness: "testdata/predict/TestA/race-1", Status: bug.Fixed}, {Witness: "testdata/predict/TestA/race-2", Status: bug.Unconfirmed, Reason: "busy"},
		{Witness: "testdata/predict/TestReceipt/race-4f367a", Status: bug.Confirmed},
	}
	r.Findings[0].FailsRun = true
	xml := written(t, WriteJUnit, r)
	assert.Contains(t, xml, `<testsuites name="gopredict" tests="3" failures="1"`)
	assert.Contains(t, xml, `<testcase classname="example.com/bank" name="TestReceipt/race-4f367a" time="0.000">`)
	assert.Contains(t, xml, `<testcase classname="witnesses" name="testdata/predict/TestA/race-1" time="0.000"></testcase>`)
	assert.Contains(t, xml, `<skipped message="unconfirmed: busy"></skipped>`)
}
