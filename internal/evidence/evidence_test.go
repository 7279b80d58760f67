package evidence

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/golden"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// written returns a report of some findings as write writes it.
func written(t *testing.T, write func(io.Writer, *report.Report) error, findings ...report.Finding) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, &report.Report{Findings: findings}))
	return b.String()
}

func writeText(w io.Writer, r *report.Report) error {
	return report.WriteText(w, r, report.TextOptions{})
}

// bank is the finding of a lost deposit: goroutine 0.1 checks the balance
// under the lock, 0.2 writes it without.
func bank(t *testing.T) report.Finding {
	t.Helper()
	const pkg = "example.com/bank"
	const dir = "/src/bank/"
	site := func(id trace.SiteID, fn, file string, line int, op, expr string) trace.Site {
		return trace.Site{ID: id, Key: uint64(id), Func: pkg + "." + fn, File: dir + file, Line: line, Op: op, Expr: expr}
	}
	const rw = trace.SiteRewritten
	tr := &trace.Trace{
		Goroutines: []trace.Goroutine{
			{ID: 0, Path: "main"},
			{ID: 1, Test: "TestTransfer", Path: "0", Site: 9},
			{ID: 2, Parent: 1, Test: "TestTransfer", Path: "0.1", Site: 1},
			{ID: 3, Parent: 1, Test: "TestTransfer", Path: "0.2", Site: 2},
		},
		TestNames: []string{"TestTransfer"},
		Sites: map[trace.SiteID]trace.Site{
			1: site(1, "TestTransfer", "bank_test.go", 14, "", ""),
			2: site(2, "TestTransfer", "bank_test.go", 18, "", ""),
			3: site(3, "(*Account).Withdraw", "bank.go", 15, "", ""),
			4: site(4, "(*Account).Withdraw", "bank.go", 20, "", ""),

			5 | rw: site(5|rw, "(*Account).Withdraw", "bank.go", 17, "read", "a.balance"),
			6 | rw: site(6|rw, "(*Account).Withdraw", "bank.go", 18, "write", "a.balance"),
			7 | rw: site(7|rw, "(*Account).Deposit", "bank.go", 12, "write", "a.balance"),
			8 | rw: site(8|rw, "(*Account).Deposit", "bank.go", 12, "read", "a.balance"),
		},
	}
	const mu, balance = 0x70, 0xc000
	access := func(k trace.Kind, g trace.GID, s trace.SiteID, v uint64) trace.Event {
		return trace.Event{Kind: k, G: g, Site: s | rw, Obj: balance, Size: 8, Flags: trace.FlagValue, Val: v}
	}
	tr.Events = []trace.Event{
		{Kind: trace.TestBegin, G: 1},
		{Kind: trace.Fork, G: 1, Site: 1, Obj: 2},
		{Kind: trace.Fork, G: 1, Site: 2, Obj: 3},
		{Kind: trace.Begin, G: 2},
		{Kind: trace.Begin, G: 3},
		{Kind: trace.Acquire, G: 2, Site: 3, Obj: mu},
		access(trace.Read, 2, 5, 100),
		access(trace.Read, 3, 8, 100),
		access(trace.Write, 2, 6, 40),
		access(trace.Write, 3, 7, 150),
	}
	lines := make([]string, 20)
	lines[13], lines[17], lines[14] = "\tgo a.Withdraw(60)", "\tgo a.Deposit(50)", "\ta.mu.Lock()"
	source := &witness.Sources{ReadFile: func(string) ([]byte, error) { return []byte(strings.Join(lines, "\n")), nil }}
	w, err := witness.FromSchedule(tr, []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{8, 9}, nil, witness.ScheduleInfo{Files: witness.Files{Root: "/src"}, Kind: "race", Package: pkg, Source: source})
	require.NoError(t, err)
	return NewFinding(Evidence{
		Witness: w, Path: "bank/testdata/predict/TestTransfer/" + w.ID, Tier: "pecan",
		Result: replayer.Result{
			Order: "10", Effect: bug.TestFailure, Replays: 3, Reproduced: 3,
			Detail: []string{"--- FAIL: TestTransfer", "    bank_test.go:26: balance = 40, want 90"},
		},
		Trace: tr, Violation: []int{8, 9}, ReplayTrace: tr, Files: witness.Files{Root: "/src"}, Source: source.Line,
	})
}

// The tests of package report read the finding that is made here.
func TestNewFinding(t *testing.T) {
	golden.Equal(t, "../../report/testdata/lostdeposit.json", written(t, report.WriteJSON, bank(t)))
}

func TestNamer(t *testing.T) {
	n := namer{pkg: "example.com/bank", test: "TestX"}
	for in, want := range map[string]string{
		"example.com/bank.(*Account).Withdraw":      "(*Account).Withdraw",
		"example.com/bank_test.TestX.func1":         "TestX.func1",
		"example.com/bank/ledger.Post":              "ledger.Post",
		"example.com/set.(*Set[example.com/k.K]).F": "set.(*Set[example.com/k.K]).F",
		"example.com/set.Map[...]":                  "set.Map[...]",
		"main.main":                                 "main.main",
	} {
		assert.Equal(t, want, n.function(in))
	}
	assert.Equal(t, "0.1", n.goroutine("TestX:0.1"))
	assert.Equal(t, "TestY:0.1", n.goroutine("TestY:0.1"))
}
