package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	// The command runs as a process of its own. This import makes go test run
	// these tests again, and not take their results from its cache, when the
	// command has changed.
	_ "github.com/gopredict/gopredict/internal/command"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/internal/testenv"
)

// sample are suites that take a few seconds each. The versions of the modules
// are fixed: what others publish must not break a build here.
var sample = []suite{
	module("github.com/gammazero/workerpool@v1.3.0"),
	// One test expects what lasts 70 ms to be there after 55: a busy machine is late.
	module("github.com/patrickmn/go-cache@v2.1.0+incompatible", "-skip=^TestCacheTimes$"),
	std("context"),
}

// command is gopredict's binary, which TestMain builds.
var command string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "outcomes-")
	if err == nil {
		err = testenv.Set(dir)
	}
	if err == nil {
		command, err = script.Build(context.Background(), "../../..", dir)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestSample runs suites of others, plainly and with gopredict: each test must
// come out alike, and each trace be valid. The confirmed findings are printed
// (go test -v), to be looked at by hand.
func TestSample(t *testing.T) {
	for _, s := range sample {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			r := &runner{tool: command, work: dir, keep: filepath.Join(dir, "keep"), rounds: 1}
			c, err := r.compare(t.Context(), s)
			require.NoError(t, err)
			require.Empty(t, c.differences, c.recorded.output)
			for _, p := range c.report.Packages {
				if p.Result != "no tests" {
					require.Positive(t, p.Events, "events of %s\n%s", p.Package, c.recorded.output)
					require.Positive(t, p.TraceBytes, "trace of %s", p.Package)
				}
			}
			t.Log(c.summary())
		})
	}
}

// TestDifferences: only what came out in no plain run is a difference, and what
// varies in them is none.
func TestDifferences(t *testing.T) {
	c := &comparison{recorded: process{outcomes: outcomes{
		"p": "fail", "p TestSame": "skip", "p TestOther": "fail", "p TestVaries": "fail", "p TestNew": "pass",
	}}}
	c.judge(map[string][]string{
		"p": {"pass", "pass"}, "p TestSame": {"skip", "skip"}, "p TestOther": {"pass", "pass"},
		"p TestVaries": {"pass", "fail"}, "p TestNow": {"pass"}, "p TestGone": {"pass", "pass"},
	}, 2)
	require.Equal(t, []difference{
		{"p TestGone", "pass", ""}, {"p TestOther", "pass", "fail"}, {"p TestNew", "", "pass"},
	}, c.differences)
	require.Equal(t, []string{"p TestNow", "p TestVaries"}, c.varying)
	require.False(t, c.row().good())
}

// TestOwnResult: of a test in which a bug was confirmed, its own result is compared.
func TestOwnResult(t *testing.T) {
	o := outcomes{}
	for _, line := range []string{
		`{"Action": "run", "Package": "p", "Test": "TestA"}`, `{"Action": "pass", "Package": "p", "Test": "TestA"}`,
		`{"Action": "run", "Package": "p", "Test": "TestA"}`, `{"Action": "fail", "Package": "p", "Test": "TestA"}`,
	} {
		o.add(line)
	}
	require.Equal(t, outcomes{"p TestA": "pass"}, o)
}

// TestBlockedRow: the deadlocks and leaks of a suite are counted that are confirmed, and
// who lingered in all of its packages.
func TestBlockedRow(t *testing.T) {
	c := &comparison{suite: std("p"), checkout: checkout{version: "go1"}, recorded: process{outcomes: outcomes{"p": "pass", "p TestA": "pass", "p TestB": "fail", "p TestC": "skip"}}}
	require.NoError(t, json.Unmarshal([]byte(`{
		"packages": [{"lingering": [{}, {}]}, {"lingering": [{}]}],
		"findings": [
			{"kind": "leak", "status": "confirmed"}, {"kind": "leak", "status": "unconfirmed"},
			{"kind": "leak", "status": "confirmed"}, {"kind": "deadlock", "status": "confirmed"}]}`), &c.report))
	require.Equal(t, "| p | go1 | 2 | 1 | 2 | 3 |\n", c.row().blocked())

	// What is kept of it says as much.
	file := filepath.Join(t.TempDir(), "rows.json")
	require.NoError(t, script.SaveRows(file, c.row()))
	var kept row
	found, err := script.LoadRows(file, "a row", &kept)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, page([]row{c.row()}, nil, "go1", 2), page([]row{kept}, nil, "go1", 2))
}

// TestVerdict: what was found by hand is of a test, or of one kind of what was confirmed in it.
func TestVerdict(t *testing.T) {
	const test = "TestRouter_wait_for_handlers_before_shutdown_timeout"
	require.Contains(t, finding{Kind: "leak", Test: test}.verdict(), "real")
	require.Empty(t, finding{Kind: "race", Test: test}.verdict())
	require.Equal(t, byTime, finding{Kind: "assertion", Test: "TestChainDelayIfStillRunning"}.verdict())
}
