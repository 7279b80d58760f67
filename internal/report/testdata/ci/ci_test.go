// Package ci reads what package report writes for CI systems as others read it: with schemas,
// and with the libraries of those who take such files. It is a module of its own, so that who has
// gopredict as a tool has no use for those. .ci/formats asks programs in other languages, too.
package ci

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/joshdk/go-junit"
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // see sarifSchema
	"github.com/rhysd/actionlint"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"gotest.tools/gotestsum/testjson"

	"github.com/gopredict/gopredict/internal/report"
)

// reports are those that are beside this folder, one with a known bug and one of nothing, by
// their names.
func reports(t *testing.T) map[string]*report.Report {
	t.Helper()
	out := map[string]*report.Report{"nothing": {Go: "go1.26.8"}}
	for _, name := range []string{"bank", "abba", "leftbehind", "crowd"} {
		f, err := os.Open("../reports/" + name + ".json")
		require.NoError(t, err)
		defer f.Close()
		out[name], err = report.ReadJSON(name, f)
		require.NoError(t, err)
	}
	// A copy of its own.
	f, err := os.Open("../reports/bank.json")
	require.NoError(t, err)
	defer f.Close()
	known, err := report.ReadJSON("known", f)
	require.NoError(t, err)
	known.Findings[0].Suppressed = &report.Suppression{By: report.ByComment, Reason: "a test"}
	known.Findings[0].FailsRun = false
	known.Packages[0].Started = "2026-11-23T16:49:30Z"
	known.Packages[0].Cases = append(known.Packages[0].Cases,
		report.TestCase{Test: "TestFails", Failed: true, ElapsedS: 1.25, Output: []string{"a_test.go:3: ]]> \x00", "    more"}},
		report.TestCase{Test: "TestSkips", Skipped: true, Output: []string{"a_test.go:4: \"why\""}})
	out["known"] = known
	return out
}

func written(t *testing.T, write func(io.Writer, *report.Report) error, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, r))
	return b.Bytes()
}

// schema compiles a JSON schema.
func schema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// conforms fails the test if a JSON document is not what the schema says.
func conforms(t *testing.T, s *jsonschema.Schema, text []byte, name string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	assert.NoError(t, s.Validate(doc), name)
}

// refuses fails the test if the schema lets pass what is wrong in a document: what is replaced,
// and by what.
func refuses(t *testing.T, s *jsonschema.Schema, text []byte, wrong map[string]string) {
	t.Helper()
	for old, bad := range wrong {
		require.Contains(t, string(text), old)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(string(text), old, bad, 1)))
		require.NoError(t, err)
		assert.Error(t, s.Validate(doc), bad)
	}
}

// sarifSchema is the standard's own schema, which go-sarif has in a constant.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	require.NoError(t, err)
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			text, err = strconv.Unquote(l.Value)
			require.NoError(t, err)
		}
		return true
	})
	require.Contains(t, text, "(SARIF) Version 2.1.0 JSON Schema")
	return schema(t, []byte(text))
}

// SARIF is what the standard's own schema says.
func TestSARIF(t *testing.T) {
	s := sarifSchema(t)
	versioned := reports(t)["bank"]
	versioned.Version = "v0.1.0"
	conforms(t, s, written(t, report.WriteSARIF, versioned), "of a release")
	for name, r := range reports(t) {
		conforms(t, s, written(t, report.WriteSARIF, r), name)
	}
	refuses(t, s, written(t, report.WriteSARIF, reports(t)["bank"]), map[string]string{
		`"version": "2.1.0"`:                 `"version": "2.2.0"`,
		`"level": "error",`:                  `"level": "loud",`,
		`"importance": "essential"`:          `"importance": "great"`,
		`"startLine": 31`:                    `"startLine": 0`,
		`"kind": "function"`:                 `"sort": "function"`,
		`"columnKind": "utf16CodeUnits"`:     `"columnKind": "utf7CodeUnits"`,
		`"informationUri": "https://github.`: `"informationUri": "https://[github.`,
		`"executionOrder": 1,`:               `"executionOrder": -2,`,
	})
}

// JUnit's XML is read back as it was meant: each test, and each finding, with what became of it.
func TestJUnit(t *testing.T) {
	for name, r := range reports(t) {
		suites, err := junit.Ingest(written(t, report.WriteJUnit, r))
		require.NoError(t, err, name)
		require.Len(t, suites, len(r.Packages), name)
		failed, skipped, tests := 0, 0, 0
		for i, s := range suites {
			assert.Equal(t, r.Packages[i].Package, s.Name)
			assert.Equal(t, r.Go, s.Properties["go.version"])
			failed, skipped, tests = failed+s.Totals.Failed, skipped+s.Totals.Skipped, tests+s.Totals.Tests
		}
		wantFailed, wantSkipped, wantTests := 0, 0, 0
		for _, p := range r.Packages {
			wantTests += len(p.Cases)
			for _, c := range p.Cases {
				if c.Failed {
					wantFailed++
				}
				if c.Skipped {
					wantSkipped++
				}
			}
		}
		for _, f := range r.Findings {
			if f.Status != "confirmed" {
				continue
			}
			wantTests++
			if f.FailsRun {
				wantFailed++
			} else if f.Suppressed != nil {
				wantSkipped++
			}
		}
		assert.Equal(t, []int{wantTests, wantFailed, wantSkipped}, []int{tests, failed, skipped}, name)
	}
	suites, err := junit.Ingest(written(t, report.WriteJUnit, reports(t)["known"]))
	require.NoError(t, err)
	fails, skips := suites[0].Tests[2], suites[0].Tests[3]
	assert.Equal(t, "--- FAIL: TestFails (1.25s)\n    a_test.go:3: ]]> \ufffd\n        more\n", fails.Error.(junit.Error).Body)
	assert.Equal(t, 1250*time.Millisecond, fails.Duration)
	assert.Equal(t, "a_test.go:4: \"why\"", skips.Message)
	suites, err = junit.Ingest(written(t, report.WriteJUnit, reports(t)["bank"]))
	require.NoError(t, err)
	last := suites[0].Tests[len(suites[0].Tests)-1]
	assert.Equal(t, "TestReceipt/race-4f367a", last.Name)
	assert.Equal(t, junit.StatusFailed, last.Status)
	assert.Contains(t, last.Error.(junit.Error).Body, "CONFIRMED: DATA RACE")
}

// What -json adds to the stream of go test is read by gotestsum, which has no reader of JUnit's XML
// but writes it from that: the test of each finding that fails the run has failed, with its text.
func TestEvents(t *testing.T) {
	r := reports(t)["bank"]
	events := written(t, func(w io.Writer, r *report.Report) error { return report.WriteTestEvents(w, r, report.TextOptions{}) }, r)
	run, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: bytes.NewReader(events)})
	require.NoError(t, err)
	assert.Empty(t, run.Errors())
	failed := run.Failed()
	require.Len(t, failed, 1)
	assert.Equal(t, "example.com/bank", failed[0].Package)
	assert.Equal(t, testjson.TestName("TestReceipt"), failed[0].Test)
	assert.Contains(t, strings.Join(run.OutputLines(failed[0]), ""), "CONFIRMED: DATA RACE\n")
}

// What GitLab takes is what it says that it takes. It has no schema for that: gitlab.schema.json
// is its documentation's table.
func TestGitLab(t *testing.T) {
	text, err := os.ReadFile("gitlab.schema.json")
	require.NoError(t, err)
	s := schema(t, text)
	for name, r := range reports(t) {
		conforms(t, s, written(t, report.WriteGitLab, r), name)
	}
	refuses(t, s, written(t, report.WriteGitLab, reports(t)["bank"]), map[string]string{
		`"critical"`: `"bad"`, `"path": "`: `"path": "./`, `"begin": 31`: `"begin": "31"`, `"fingerprint"`: `"print"`,
	})
}

// The JSON report is what its own schema says, also to a validator that knows all of JSON Schema.
func TestJSON(t *testing.T) {
	s := schema(t, report.JSONSchema)
	for name, r := range reports(t) {
		conforms(t, s, written(t, report.WriteJSON, r), name)
	}
}

// block is the first block in docs/ci.md that is below a heading.
func block(t *testing.T, heading string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/ci.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)\n## " + heading + "\n.*?```\\w+\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m, "docs/ci.md has nothing to copy below %s", heading)
	return m[1]
}

// The pipeline for GitLab that docs/ci.md has to copy is YAML of a job, with reports that GitLab
// has; what is written is what is kept, and what is cached lies in the project's folder.
func TestPipeline(t *testing.T) {
	var jobs map[string]struct {
		Image     string
		Variables map[string]string
		Cache     struct {
			Key   string
			Paths []string
		}
		Script    []string
		Artifacts struct {
			When    string
			Paths   []string
			Reports struct{ JUnit, CodeQuality string }
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(block(t, "GitLab")))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&jobs))
	require.Len(t, jobs, 1)
	job := jobs["gopredict"]
	assert.NotEmpty(t, job.Image)
	assert.Equal(t, "always", job.Artifacts.When, "a run that fails has most to tell")
	for _, kept := range append(job.Artifacts.Paths, job.Artifacts.Reports.JUnit, job.Artifacts.Reports.CodeQuality) {
		assert.Contains(t, job.Script[len(job.Script)-1], "="+kept+" ")
	}
	for name, folder := range job.Variables {
		assert.True(t, strings.HasPrefix(folder, "$CI_PROJECT_DIR/"+job.Cache.Paths[0]), name)
	}
}

// The workflow that docs/ci.md has to copy is one that GitHub takes: the keys, the expressions,
// what the actions in it take, and the schedule.
func TestWorkflow(t *testing.T) {
	workflow := block(t, "GitHub Actions")
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	require.NoError(t, err)
	wrong, err := linter.Lint("<stdin>", workflow, nil)
	require.NoError(t, err)
	for _, e := range wrong {
		assert.Fail(t, fmt.Sprintf("%d: %s", e.Line, e.Message))
	}
	wrong, err = linter.Lint("<stdin>", bytes.Replace(workflow, []byte("key:"), []byte("keys:"), 1), nil)
	require.NoError(t, err)
	assert.NotEmpty(t, wrong, "the check itself has to see what is wrong")
}
