package report

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/golden"
)

func render(t *testing.T, r *Report, opts TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, r, opts))
	return b.String()
}

// bank is the finding of a lost deposit: goroutine 0.1 checks the balance
// under the lock, 0.2 writes it without. Package evidence has made it.
func bank(t *testing.T) Finding {
	t.Helper()
	name := "testdata/lostdeposit.json"
	r, err := ReadFile(name, name)
	require.NoError(t, err)
	return r.Findings[0]
}

// loop is a finding with many steps, and more goroutines than columns fit.
func looping(goroutines, rounds int) Finding {
	f := Finding{
		ID: "race-00beef", Kind: "race", Status: bug.Confirmed, Effect: "none", Package: "example.com/queue", Test: "TestQueue",
		Witness: "testdata/predict/TestQueue/race-00beef", Switches: 2 * goroutines, Tier: "pecan", Replays: 2, Reproduced: 2, ValuesFrom: "recording",
	}
	name := func(g int) string { return "0." + string(rune('1'+g)) }
	for g := range goroutines {
		f.Interleaving = append(f.Interleaving, Step{Goroutine: "0", Op: "fork", Expr: "q.run", Position: Position{Func: "TestQueue", File: "queue_test.go", Line: 10}})
		for r := range rounds {
			f.Interleaving = append(f.Interleaving,
				Step{Goroutine: name(g), Op: "acq", Expr: "q.mu", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 20}},
				Step{Goroutine: name(g), Op: "write", Expr: "q.items[q.head%len(q.items)]", Value: string(rune('0' + r%10)), Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 21}},
				Step{Goroutine: name(g), Op: "rel", Expr: "q.mu", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 22}})
		}
	}
	for i := range 2 {
		op := []string{"write", "read"}[i]
		f.Accesses = append(f.Accesses, Access{Goroutine: name(i), Op: op, Expr: "q.head", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 25 + i}})
		f.Interleaving = append(f.Interleaving, Step{Goroutine: name(i), Op: op, Expr: "q.head", Value: "7", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 25 + i}, Violation: true})
	}
	return f
}

func sample(t *testing.T) *Report {
	t.Helper()
	missed := Finding{ID: "race-0123ab", Kind: "race", Status: bug.Unconfirmed, Package: "example.com/bank", Test: "TestAudit", Tier: "pecan", Replays: 1,
		Reason: "0.1 is at write bank.go:12 (2nd time), the schedule expects it at read bank.go:9"}
	again := missed
	again.ID = "race-cd4567"
	r := &Report{
		Go: "go1.26.8", DurationS: 1.94,
		Packages: []Package{{Package: "example.com/bank", Tests: 3, Result: "pass", RecordS: 0.04, ReplayS: 0.02, Runs: 7, Events: 412, TraceBytes: 9120}},
		Findings: []Finding{missed, again, bank(t)},
		Totals:   Totals{Candidates: 9, Pruned: 5, Confirmed: 1, Unconfirmed: 2, Infeasible: 1},
		Warnings: []string{"testdata/predict/TestOld/race-1: witness is stale"},
	}
	r.Sort()
	return r
}

func TestText(t *testing.T) {
	golden.Equal(t, "bank.txt", render(t, sample(t), TextOptions{}))
}

func TestTextSkipped(t *testing.T) {
	r := &Report{Packages: []Package{{Skipped: []string{"a/a.go: uses cgo", "b/b.s: assembly"}}, {Skipped: []string{"b/b.s: assembly"}}}}
	assert.Contains(t, render(t, r, TextOptions{}), "note: accesses of 2 files are not recorded: a/a.go: uses cgo; b/b.s: assembly\n")
	r.Packages[1].Skipped = []string{"c.s: assembly", "d.s: assembly", "e.s: assembly"}
	assert.Contains(t, render(t, r, TextOptions{}), "note: accesses of 5 files are not recorded: a/a.go: uses cgo; b/b.s: assembly; c.s: assembly; and 2 more\n")
	r.Packages = []Package{{Skipped: []string{"a.go: uses cgo"}}}
	assert.Contains(t, render(t, r, TextOptions{}), "note: accesses of 1 file are not recorded: a.go: uses cgo\n")
}

func TestTextLoop(t *testing.T) {
	f := looping(2, 30)
	golden.Equal(t, "loop.txt", render(t, &Report{Findings: []Finding{f}}, TextOptions{}))
}

func TestTextManyGoroutines(t *testing.T) {
	f := looping(7, 1)
	golden.Equal(t, "many.txt", render(t, &Report{Findings: []Finding{f}}, TextOptions{}))
}

func TestTextNotConfirmed(t *testing.T) {
	r := sample(t)
	assert.Contains(t, render(t, r, TextOptions{}), "\n2 predicted, but not confirmed by a replay; -predict.json=FILE tells why.\n")
	for i := range r.Findings {
		r.Findings[i].Undecided = r.Findings[i].Status == bug.Unconfirmed
	}
	r.Totals.Undecided = 2
	assert.NotContains(t, render(t, r, TextOptions{}), "undecided, neither")
	text := render(t, r, TextOptions{Verbose: true})
	assert.Contains(t, text, "\n2 undecided, neither shown nor ruled out; -predict.json=FILE tells why.\n")
	assert.NotContains(t, text, "predicted, but")
}

// What has no effect is told in short; gopredict replay shows all of it.
func TestTextWarning(t *testing.T) {
	f := bank(t)
	f.Kind, f.Effect, f.Detail = "atomicity", "none", nil
	r := &Report{Findings: []Finding{f, looping(2, 1)}}
	got := render(t, r, TextOptions{})
	race, warning, _ := strings.Cut(got, "\nWARNING: ATOMICITY VIOLATION\n")
	assert.Contains(t, race, "CONFIRMED: DATA RACE\n")
	assert.True(t, strings.HasPrefix(warning, "race-5f9ad9 in TestTransfer, example.com/bank, without an effect on the test\n"+
		"  bank/bank.go:18  write to a.balance by goroutine 0.1\n"+
		"  bank/bank.go:12  write to a.balance by goroutine 0.2\n"+
		"Replay: gopredict replay bank/testdata/predict/TestTransfer/race-5f9ad9\n"+
		"==================\n"), got)

	var b bytes.Buffer
	require.NoError(t, WriteFinding(&b, &f, TextOptions{}))
	assert.Contains(t, b.String(), "WARNING: ATOMICITY VIOLATION\n")
	assert.Contains(t, b.String(), "Interleaving")
}

// Several bugs are listed after all of them were told.
func TestTextList(t *testing.T) {
	one, other := bank(t), bank(t)
	other.ID, other.Test, other.Effect = "race-1", "TestOther", "none"
	list := "\n2 bugs:\n" +
		"  " + one.ID + "  test-failure  TestTransfer, example.com/bank: bank/bank.go:18\n" +
		"  race-1       none          TestOther, example.com/bank: bank/bank.go:18\n"
	r := &Report{Findings: []Finding{one, other}}
	assert.Contains(t, render(t, r, TextOptions{}), list)
	assert.NotContains(t, render(t, r, TextOptions{Screen: true}), "2 bugs:", "each has a line by then")
	assert.NotContains(t, render(t, &Report{Findings: []Finding{one}}, TextOptions{}), "bugs:")
}

func TestTextNothing(t *testing.T) {
	r := &Report{DurationS: 0.3, Packages: []Package{{Package: "p", Tests: 1, Events: 10}}}
	assert.Equal(t, "gopredict: 0 confirmed, 0 not confirmed, 0 infeasible, 0 pruned of 0 candidates; 1 test in 1 package, 10 events, 0.3s\n"+
		"gopredict: no concurrency bug found in 1 test (10 events)\n", render(t, r, TextOptions{}))
	r.Totals = Totals{Unconfirmed: 2, Undecided: 2}
	assert.Contains(t, render(t, r, TextOptions{}), "no concurrency bug found")
	for name, leave := range map[string]func(*Report){
		"a test had not ended": func(r *Report) { r.Warnings = []string{"p: TestX had not ended when its time was over"} },
		"a file was skipped":   func(r *Report) { r.Packages[0].Skipped = []string{"x.go: it uses cgo"} },
		"a prediction is open": func(r *Report) { r.Totals.Unconfirmed++ },
		"a witness is open":    func(r *Report) { r.Witnesses = []WitnessState{{Status: bug.Stale}} },
		"the run ended early":  func(r *Report) { r.Incomplete = []string{"interrupted"} },
	} {
		left := *r
		left.Packages = slices.Clone(r.Packages)
		leave(&left)
		assert.NotContains(t, render(t, &left, TextOptions{}), "no concurrency bug found", name)
	}
	r.Witnesses = []WitnessState{{Status: bug.Fixed}}
	assert.Contains(t, render(t, r, TextOptions{}), "no concurrency bug found")

	p := &r.Packages[0]
	for _, test := range []string{"TestA", "TestB", "TestC", "TestD"} {
		p.AddChance("the order of a map", test)
	}
	p.AddChance("random numbers", "TestA")
	p.AddChance("random numbers", "TestA")
	r.Witnesses = nil
	assert.Contains(t, render(t, r, TextOptions{}),
		"(10 events); what chance decides was not searched: random numbers (TestA), the order of a map (TestA, TestB and 2 more)\n")
	p.Cases = []TestCase{{Test: "TestA", Failed: true}, {Test: "TestA/sub", Failed: true}, {Test: "TestB"}}
	assert.Contains(t, render(t, r, TextOptions{}), "in 1 test (10 events); but 1 test failed, or came to no end, which hides bugs: TestA; what chance")
}

// Goroutines that others can still wake are counted.
func TestTextLingering(t *testing.T) {
	r := &Report{Packages: []Package{{Lingering: []Lingering{{Test: "TestX"}}}}}
	assert.Contains(t, render(t, r, TextOptions{}), "note: a goroutine was still waiting when its test ended; it is no leak, as others may wake it yet; -predict.json=FILE tells where.\n")
	r.Packages = append(r.Packages, r.Packages[0])
	assert.Contains(t, render(t, r, TextOptions{}), "note: 2 goroutines were still waiting when their tests ended; ")
	// A later run has shown that one waits for ever.
	at := Place{Position: Position{File: "a.go", Line: 3}}
	r.Packages = []Package{{Package: "p", Lingering: []Lingering{{Goroutine: "0.1", Op: "select", Place: at}}}}
	f := Finding{Kind: bug.Leak, Status: bug.Confirmed, Package: "p", Accesses: []Access{{Goroutine: "0.1", Op: "select", Position: at.Position}}}
	for _, other := range []func(f *Finding){
		func(f *Finding) { f.Status = bug.Unconfirmed },
		func(f *Finding) { f.Package = "q" },
		func(f *Finding) { f.Accesses = []Access{{Goroutine: "0.1", Op: "recv", Position: at.Position}} },
	} {
		g := f
		other(&g)
		r.Findings = []Finding{g}
		assert.Contains(t, render(t, r, TextOptions{}), "note: a goroutine was still waiting")
	}
	r.Findings = []Finding{f}
	assert.NotContains(t, render(t, r, TextOptions{}), "still waiting")
}

// A goroutine that its own timers wake is said to come back.
func TestTextTurns(t *testing.T) {
	for turns, want := range map[bool]int{true: 1, false: 0} {
		f := Finding{Kind: bug.Leak, Status: bug.Confirmed, Accesses: []Access{{Goroutine: "0.1", Op: "select", Turns: turns, Stack: []Place{{Position: Position{Func: "f", File: "a.go", Line: 3}}}}}}
		got := render(t, &Report{Findings: []Finding{f}}, TextOptions{})
		assert.Equal(t, want, strings.Count(got, "\n  only its own timers wake it here, and it comes back each time; "), got)
	}
}

func TestTextPanic(t *testing.T) {
	f := bank(t)
	f.Effect, f.Detail = "panic", []string{"panic: boom", "in bank.f at bank.go:3"}
	got := render(t, &Report{Findings: []Finding{f}}, TextOptions{})
	assert.Contains(t, got, "Effect: the test panics when goroutine 0.2 goes first\n    panic: boom\n    in bank.f at bank.go:3\n")
}

// Whatever the terminal's width, the table fits into it.
func TestTextFitsWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100, 140} {
		for _, f := range []Finding{bank(t), looping(2, 9), looping(7, 2)} {
			got := render(t, &Report{Findings: []Finding{f}}, TextOptions{Width: width})
			_, table, ok := strings.Cut(got, "Interleaving (")
			require.True(t, ok)
			table, _, _ = strings.Cut(table, "Effect:")
			for _, l := range strings.Split(table, "\n") {
				assert.LessOrEqual(t, utf8.RuneCountInString(l), width, l)
			}
		}
	}
}

func TestTextColor(t *testing.T) {
	plain, colored := render(t, sample(t), TextOptions{}), render(t, sample(t), TextOptions{Color: true})
	assert.NotContains(t, plain, "\x1b")
	assert.Contains(t, colored, "\x1b[1;31mCONFIRMED: DATA RACE\x1b[0m")
	for _, code := range []string{"\x1b[1;31m", "\x1b[1m", "\x1b[2m", "\x1b[0m"} {
		colored = strings.ReplaceAll(colored, code, "")
	}
	assert.Equal(t, plain, colored, "color changes nothing else")
}

func TestTextDeterministic(t *testing.T) {
	first := render(t, sample(t), TextOptions{})
	for range 20 {
		require.Equal(t, first, render(t, sample(t), TextOptions{}))
	}
}

func TestWriteFinding(t *testing.T) {
	f := bank(t)
	var b bytes.Buffer
	require.NoError(t, WriteFinding(&b, &f, TextOptions{}))
	assert.True(t, strings.HasPrefix(b.String(), "==================\nCONFIRMED: DATA RACE\n"))
	assert.True(t, strings.HasSuffix(b.String(), "\n==================\n"))
}

func TestWriteFindingNotConfirmed(t *testing.T) {
	f := bank(t)
	f.Status, f.Effect, f.Detail, f.Reason, f.Reproduced, f.Replays = bug.Unconfirmed, "", nil, "not replayed", 0, 0
	var b bytes.Buffer
	require.NoError(t, WriteFinding(&b, &f, TextOptions{}))
	assert.True(t, strings.HasPrefix(b.String(), "==================\nPREDICTED: DATA RACE\n"))
	assert.Contains(t, b.String(), "\nNot confirmed: not replayed\nWhat you can do: gopredict test replays as much as the budget of the test allows; -predict.runs=7 has no such bound.\nReplay: ")
	assert.NotContains(t, b.String(), "Effect")

	b.Reset()
	f.Reproduced, f.Replays = 99, 100
	require.NoError(t, WriteFinding(&b, &f, TextOptions{}))
	assert.Contains(t, b.String(), "\nNOT CONFIRMED: DATA RACE\n")
}

// Whatever was not confirmed, there is something that users can do, which is another thing for
// each cause.
func TestAdvice(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range []Finding{
		{Undecided: true, Test: "TestX"}, {}, {Test: "TestX"}, {Test: "TestX", Replays: 2, Reproduced: 1}, {Test: "TestX", Replays: 2},
	} {
		f.Status, f.Reason = bug.Unconfirmed, "why"
		advice := f.Advice()
		assert.False(t, seen[advice], advice)
		seen[advice] = true
		assert.Contains(t, html(t, &Report{Findings: []Finding{f}}), "Not confirmed: why</p>\n<p>What you can do: "+advice)
	}
}

func TestTextOutsideOfTests(t *testing.T) {
	f := bank(t)
	f.Test = ""
	assert.Contains(t, render(t, &Report{Findings: []Finding{f}}, TextOptions{}), "\n"+f.ID+" in example.com/bank\n")
}

func TestSortPutsTheWorstFirst(t *testing.T) {
	r := &Report{Findings: []Finding{
		{ID: "1", Status: bug.Confirmed, Effect: "none"}, {ID: "2", Status: bug.Unconfirmed},
		{ID: "3", Status: bug.Confirmed, Effect: "test-failure"}, {ID: "4", Status: bug.Confirmed, Effect: "panic"},
		{ID: "5", Status: bug.Confirmed, Effect: "panic"}, {ID: "6", Status: bug.Confirmed, Effect: "panic", Test: "B"},
	}}
	r.Sort()
	var ids []string
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
	}
	assert.Equal(t, []string{"4", "5", "3", "1", "6", "2"}, ids)
}

func TestFold(t *testing.T) {
	shown := func(rows []row) (steps, folded int) {
		for _, r := range rows {
			folded += r.folded
			if r.step != nil {
				steps++
			}
		}
		return steps, folded
	}
	for _, f := range []Finding{bank(t), looping(1, 1), looping(2, 3), looping(3, 40), looping(9, 9)} {
		rows := fold(f.Interleaving)
		number := 0
		for _, r := range rows {
			if r.step == nil {
				number += r.folded
				continue
			}
			for number++; number < r.number; number++ {
				s := f.Interleaving[number-1]
				assert.True(t, s.isOfLock() || s.isOfWaitGroup(), "step %d is shown or counted", number)
			}
		}
		assert.Equal(t, len(f.Interleaving), number)
		assert.LessOrEqual(t, len(rows), maxRows)
		last := rows[len(rows)-2:]
		assert.True(t, last[0].step.Violation && last[1].step.Violation, "the violation is shown")
	}
	assert.Len(t, allRows(looping(3, 40).Interleaving), len(looping(3, 40).Interleaving))
	steps, folded := shown(fold(looping(1, 10).Interleaving))
	assert.Equal(t, [2]int{1 + 6 + 2, 24}, [2]int{steps, folded}, "the first and the last round stay")
}

// Where a goroutine goes on alone for long in the end, the table shows what another one did before.
func TestFoldKeepsTheLastSwitch(t *testing.T) {
	var steps []Step
	for k := range 100 {
		steps = append(steps, Step{Op: "write", Goroutine: "0", Position: Position{Line: k}})
	}
	for k := 20; k < 40; k++ {
		steps[k].Goroutine = "0.1"
	}
	steps[20].Switch, steps[40].Switch = &Switch{From: "0"}, &Switch{From: "0.1"}
	steps[99].Violation = true
	rows := fold(steps)
	assert.Len(t, rows, maxRows)
	assert.Equal(t, []string{"0", "0.1"}, goroutines(rows))
	var numbers []int
	for _, r := range rows {
		numbers = append(numbers, r.number)
	}
	assert.Subset(t, numbers, []int{1, 39, 40, 41, 100})
	assert.Equal(t, 40-3-6, rows[6].folded, "what is left out is counted")
}

// A schedule of hundreds of thousands of steps and switches is folded in no time.
func TestFoldLong(t *testing.T) {
	var steps []Step
	for k := range 300_000 {
		steps = append(steps, Step{Op: []string{"acq", "rel"}[k%2], Goroutine: []string{"0.1", "0.2", "0.3"}[k/2%3]})
		if k%2 == 0 {
			steps[k].Switch = &Switch{}
		}
	}
	assert.Len(t, fold(steps), maxRows)
}

// Locks next to where goroutines switch say more than others.
func TestThin(t *testing.T) {
	steps := []Step{{Op: "fork"}}
	for range 9 {
		steps = append(steps, Step{Op: "acq"}, Step{Op: "write"}, Step{Op: "rel"})
	}
	steps[19].Switch = &Switch{}
	var left []int
	for _, r := range leaveOutDull(allRows(steps), Step.isOfLock) {
		if r.step.Op != "write" {
			left = append(left, r.number)
		}
	}
	assert.Equal(t, []int{1, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26}, left)
}

func TestFolder(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"bank/a.go", "bank/b.go"}, "bank/"},
		{[]string{"bank/x/a.go", "bank/xy/b.go"}, "bank/"},
		{[]string{"/abs/a.go", "b.go"}, ""},
		{[]string{"a.go"}, ""},
		{[]string{"std/net/http/server.go", "bank/x/a.go"}, "bank/x/"},
		{nil, ""},
	} {
		rows := []row{{folded: 1}}
		for _, f := range c.files {
			rows = append(rows, row{step: &Step{Position: Position{File: f}}})
		}
		assert.Equal(t, c.want, folder(rows), c.files)
	}
}

func TestCellCutsTheExpression(t *testing.T) {
	s := Step{Op: "write", Expr: "a.very.long.expression", Value: "150"}
	assert.Equal(t, "write a.very.long.expression = 150", s.cell(80))
	assert.Equal(t, "write a.very… = 150", s.cell(19))
	assert.Equal(t, "write a…", s.cell(8))
	assert.Equal(t, "write ….expression = 150", s.cell(24))
	assert.Equal(t, "write ….long.expression", Step{Op: "write", Expr: s.Expr}.cell(24))
	assert.Equal(t, "read shards[…].items", Step{Op: "read", Expr: "shards[hash(k)%n].items"}.cell(20))
	assert.Equal(t, "read ….items", Step{Op: "read", Expr: "shards[hash(k)%n].items"}.cell(15))
	assert.Equal(t, "read f(x)(…)[i]", Step{Op: "read", Expr: "f(x)(y, z)[i]"}.cell(15))
	assert.Equal(t, "read a](b", Step{Op: "read", Expr: "a](b"}.cell(9))
	assert.Equal(t, "go worker → 0.1", Step{Op: "fork", Expr: "worker", Value: "0.1"}.cell(80))
	assert.Equal(t, "wg.Go → 0.1", Step{Op: "fork", Expr: "wg.Go", Value: "0.1"}.cell(80))
	assert.Equal(t, "go → 0.1", Step{Op: "fork", Value: "0.1"}.cell(80))
}

func TestGates(t *testing.T) {
	for _, c := range []struct {
		f    Finding
		want bool
	}{
		{Finding{Kind: "race", Status: bug.Confirmed, Effect: "none"}, true},
		{Finding{Kind: "race", Status: bug.Unconfirmed}, false},
		{Finding{Kind: "atomicity", Status: bug.Confirmed, Effect: "none"}, false},
		{Finding{Kind: "atomicity", Status: bug.Confirmed, Effect: "panic"}, true},
		{Finding{Kind: "atomicity", Status: bug.Unconfirmed, Effect: "panic"}, false},
		{Finding{Kind: "race", Status: bug.Infeasible, Effect: "panic"}, false},
		{Finding{Kind: "race", Status: bug.Confirmed, Effect: "panic", Suppressed: &Suppression{By: ByBaseline}}, false},
		{Finding{Kind: "property", Pattern: "of the tests", Status: bug.Confirmed, Effect: "none"}, true},
		{Finding{Kind: "property", Pattern: "no use of rows that are closed", Status: bug.Confirmed, Effect: "none"}, false},
		{Finding{Kind: "property", Pattern: "no use of rows that are closed", Status: bug.Confirmed, Effect: "test-failure"}, true},
		{Finding{Kind: "race", Pattern: "no use of rows that are closed", Status: bug.Confirmed, Effect: "none"}, true},
	} {
		assert.Equal(t, c.want, c.f.Gates(), c.f)
		assert.Equal(t, !c.want && c.f.Status == bug.Confirmed && c.f.Suppressed == nil, c.f.warns(), c.f)
	}
}

// Of several findings of one bug the report keeps the one that says most.
func TestOutdoes(t *testing.T) {
	ranked := []Finding{ // from the one that says least
		{Status: bug.Unconfirmed, Undecided: true, Refuted: true},
		{Status: bug.Unconfirmed, Undecided: true},
		{Status: bug.Unconfirmed},
		{Status: bug.Confirmed, Effect: bug.NoEffect},
		{Status: bug.Confirmed, Effect: bug.Leaks},
		{Status: bug.Confirmed, Effect: bug.TestFailure},
		{Status: bug.Confirmed, Effect: bug.Blocks},
		{Status: bug.Confirmed, Effect: bug.Panic},
	}
	for i := range ranked {
		for k := range ranked {
			assert.Equal(t, i > k, ranked[i].IsBetterThan(&ranked[k]), "%d and %d", i, k)
		}
	}
}

func TestStatusInAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	s := NewStatus(w)
	s.Set("replaying", "1 of 2")
	s.Clear()
	s.Close()
	require.NoError(t, w.Close())
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	require.NoError(t, err)
	assert.Empty(t, b.String())
}

func TestStatusLine(t *testing.T) {
	assert.Equal(t, "gopredict: replaying: 3 of 9  12s", statusLine("replaying: 3 of 9", 12900*time.Millisecond, 80))
	long := statusLine(strings.Repeat("x", 200), time.Second, 40)
	assert.Equal(t, 40, utf8.RuneCountInString(long))
	assert.True(t, strings.HasSuffix(long, "x…  1s"))
}

// A phase that is counted has a bar, how fast it goes, and the time left.
func TestStatusCounts(t *testing.T) {
	for _, c := range []struct {
		progress
		elapsed time.Duration
		want    string
	}{
		{progress{subject: "p", begun: 1, total: 40, details: "0 confirmed"}, 0, "░░░░░░░░░░ 1 of 40, 0 confirmed, p"},
		{progress{subject: "p", begun: 21, total: 40, details: "2 confirmed"}, 40 * time.Second, "█████░░░░░ 21 of 40, 2 confirmed, 0.5/s, 40s left, p"},
		{progress{begun: 100, total: 100}, 9900 * time.Millisecond, "██████████ 100 of 100, 10/s, 0s left"},
		{progress{subject: "TestA, p", begun: 301}, 10 * time.Second, "301, 30/s, TestA, p"},
		{progress{begun: 3, total: 2}, 0, "██████████ 3 of 2"},
	} {
		assert.Equal(t, c.want, c.text(c.elapsed))
	}
}

func TestStatusDrawsAndErases(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	s := &Status{f: w, start: time.Now()} // as on a terminal
	s.Set("recording", "")
	s.Count("replaying", "p", 1, 2, "")
	s.Clear()
	s.Clear()
	s.Close()
	s.Set("late", "")
	require.NoError(t, w.Close())
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	require.NoError(t, err)
	const erase = "\r\x1b[K"
	assert.Equal(t, erase+"gopredict: recording  0s"+erase+"gopredict: replaying █████░░░░░ 1 of 2, p  0s"+erase, b.String())
}
