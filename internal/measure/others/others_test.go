package others

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }

// Only what came out in no plain run is a difference, and what varies in them is none.
func TestCompareResults(t *testing.T) {
	plain := []run.Results{
		{"p": "pass", "p TestSame": "skip", "p TestOther": "pass", "p TestVaries": "pass", "p TestNow": "pass", "p TestGone": "pass"},
		{"p": "pass", "p TestSame": "skip", "p TestOther": "pass", "p TestVaries": "fail", "p TestGone": "pass"},
	}
	recorded := run.Results{"p": "fail", "p TestSame": "skip", "p TestOther": "fail", "p TestVaries": "fail", "p TestNew": "pass"}
	differences, varying := compareResults(plain, recorded)
	require.Equal(t, []difference{{"p TestGone", "pass", ""}, {"p TestOther", "pass", "fail"}, {"p TestNew", "", "pass"}}, differences)
	require.Equal(t, []string{"p TestNow", "p TestVaries"}, varying)
	require.False(t, suiteRow{Differences: differences}.good())
}

// The page has each suite, and what was confirmed with what was found by hand.
func TestSuitePage(t *testing.T) {
	const known = "TestRouter_wait_for_handlers_before_shutdown_timeout"
	r := suiteRow{Title: "p", Version: "go1", Pass: 1, Fail: 1, Lingering: 3, TestsRun: 2, Differences: []difference{{"p TestX", "pass", ""}}}
	r.read(&report.Report{Findings: []report.Finding{
		{Kind: bug.Leak, Status: bug.Confirmed, Test: known, Effect: bug.NoEffect}, {Kind: bug.Leak, Status: bug.Unconfirmed},
		{Kind: bug.Race, Status: bug.Confirmed, Test: known, Effect: bug.NoEffect, Accesses: []report.Access{{Op: "read", Position: report.Position{File: "a.go", Line: 3}}}},
	}}, run.Process{}, run.Results{"p TestA": "pass", "p TestB": "fail"})
	page := run.Render(pages, "suites.md", suitePage{"suites", "The suites of others", "go1", 2, []suiteRow{r, {Title: "q", Broken: "no | network"}}})
	assert.Contains(t, page, "| p | go1 | 1 / 1 / 0 | but for 1 | 0 / 2 | 0 | 0.0 | 0.0 | 0.0 | 0 |\n| q |  | | **no \\| network** |")
	assert.Contains(t, page, "| p TestX | pass | no result | **a bug of gopredict** |\n\n## Tests whose results vary without gopredict\n\nNone.\n\n## What exploring costs\n\nNone.\n")
	assert.Contains(t, page, "\n| p | go1 | 2 | 0 | 1 | 3 |\n")
	assert.Contains(t, page, "| p | "+known+" | race | read a.go:3 | none |  |\n")
	assert.Contains(t, page, "| p | "+known+" | leak |  | none | real")
}

func TestModulePage(t *testing.T) {
	finding := func(status bug.Status, reason string) report.Finding {
		return report.Finding{Status: status, Reason: reason}
	}
	r := moduleRow{Plain: moduleCost{1, 1, 10, true}, Race: moduleCost{2, 1, 20, true}, Predict: moduleCost{6, 3, 30, true}}
	r.read(&report.Report{
		DurationS: 6, TestedS: 3.5, Packages: []report.Package{{Events: 5, RecordS: 0.5}, {Events: 7, RecordS: 1}},
		Totals: report.Totals{Candidates: 20, Pruned: 15, Infeasible: 1},
		Findings: []report.Finding{
			finding(bug.Confirmed, ""), finding(bug.Infeasible, "no order"),
			finding(bug.Unconfirmed, "undecided: no order, but p.n may find something else (read at p.go:12)"),
			finding(bug.Unconfirmed, "undecided: no order, but q may find something else (read at q.go:3)"),
			finding(bug.Unconfirmed, "undecided within budget (the trace has 7,000,000 events): the orders that lead there would change it"),
		},
	})
	assert.Equal(t, map[string]int{
		"undecided: no order, but a read, a branch, a select or a message may find something else": 2,
		"undecided within budget (the trace has N events)":                                         1,
	}, r.Reasons)
	get := func(name string) (moduleRow, bool) { return r, slices.Contains(wholeModules[:2], name) }
	before := moduleRow{Candidates: 18, Undecided: 9, Predict: moduleCost{12, 6, 60, true}}
	text := run.Render(pages, "modules.md", newModulePage(get, map[string]moduleRow{wholeModules[0]: before}))
	assert.Contains(t, text, "| "+wholeModules[0]+" | 1.0 | 1.0 | 2.0 | 1.0 | 20 | 12.0 | 6.0 | 60 | 6.0 | 3.0 | 30 | 3.00 | 1.5 | 2.5 |\n")
	assert.Contains(t, text, "| "+wholeModules[1]+" | 1.0 | 1.0 | 2.0 | 1.0 | 20 |  | | | 6.0 | 3.0 | 30 | 3.00 | 1.5 | 2.5 |\n\nGeometric mean of × -race: 3.00.")
	assert.Contains(t, text, "| "+wholeModules[0]+" | 12 | 18 | 20 | 0 | 1 | 9 | 3 | 15.0 % |\n")
	assert.Len(t, run.ReadRows[moduleRow]("before.jsonl"), 10)
}

func TestSpeedPage(t *testing.T) {
	costs := [run.Ways]run.Cost{{Seconds: 1, Memory: 10}, {Seconds: 4, Memory: 20}, {Seconds: 2, Memory: 40, Trace: 3, Cut: true}}
	text := run.Render(pages, "speed.md", speedPage{Rounds: 5, Version: "go1", Suites: []speedRow{{"a", costs}}, Builds: []speedRow{{"b", costs}}})
	assert.Contains(t, text, "# What recording costs\n")
	assert.Contains(t, text, "up to 5 times")
	assert.Contains(t, text, "\n\n| suite | plain s | -race × | recording × | recording / -race | plain MiB | -race × | recording × | recording / -race | trace MiB |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"+
		"| a \\* | 1.000 | 4.0 | 2.0 | 0.50 | 10 | 2.0 | 4.0 | 2.00 | 3.0 |\n"+
		"| geometric mean | | 4.0 | 2.0 | 0.50 | | 2.0 | 4.0 | 2.00 | |\n\n")
	assert.Contains(t, text, "\n\n| build of | plain s | -race s | recording s | recording / -race |\n|---|--:|--:|--:|--:|\n"+
		"| b | 1.0 | 4.0 | 2.0 | 0.50 |\n| geometric mean | | | | 0.50 |\n\n## Where")
}
