package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/golden"
)

// stored reads one of the reports in testdata/reports, which -predict.json has written of
// the subject of that name.
func stored(t testing.TB, subject string) *Report {
	t.Helper()
	name := "testdata/reports/" + subject + ".json"
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	r, err := ReadJSON(name, f)
	require.NoError(t, err)
	return r
}

// crowd is a report of a finding of so many goroutines.
func crowd(goroutines int) *Report {
	f := Finding{
		ID: "race-c20d00", Kind: bug.Race, Status: bug.Confirmed, Effect: bug.NoEffect, Package: "example.com/queue", Test: "TestQueue",
		Witness: "testdata/predict/TestQueue/race-c20d00", Replays: 2, Reproduced: 2, ValuesFrom: "replay",
	}
	add := func(s Step) int {
		if n := len(f.Interleaving); n > 0 && f.Interleaving[n-1].Goroutine != s.Goroutine {
			s.Switch = &Switch{f.Interleaving[n-1].Goroutine, "has done its part"}
			f.Switches++
		}
		f.Interleaving = append(f.Interleaving, s)
		return len(f.Interleaving) - 1
	}
	name := func(g int) string { return fmt.Sprint("0.", g) }
	for g := 1; g < goroutines; g++ {
		add(Step{Goroutine: "0", Op: "fork", Expr: "q.run", Value: name(g), Position: Position{Func: "TestQueue", File: "queue_test.go", Line: 10}})
	}
	unlock := -1
	for g := 1; g < goroutines; g++ {
		step := Step{Goroutine: name(g), Op: "acq", Expr: "q.mu", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 20}, Locks: []string{"q.mu"}}
		lock := add(step)
		f.Edges = append(f.Edges, Edge{g - 1, lock, EdgeGo})
		if unlock >= 0 {
			f.Edges = append(f.Edges, Edge{unlock, lock, EdgeLock})
		}
		step.Op, step.Expr, step.Value, step.Line = "write", "q.items[q.head%len(q.items)]", fmt.Sprint(g), 21
		add(step)
		step.Op, step.Expr, step.Value, step.Line, step.Locks = "rel", "q.mu", "", 22, nil
		unlock = add(step)
	}
	for i, op := range []string{"write", "read"} {
		g := name(goroutines - 1 - i)
		f.Accesses = append(f.Accesses, Access{Goroutine: g, Op: op, Expr: "q.head", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 25 + i}})
		add(Step{Goroutine: g, Op: op, Expr: "q.head", Value: "7", Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 25 + i}, Violation: true})
	}
	return &Report{Go: "go1.26.8", Packages: []Package{{Package: "example.com/queue", Tests: 1, Result: "pass"}}, Findings: []Finding{f}, Totals: Totals{Confirmed: 1, Candidates: 1}}
}

// long is a report of one finding with so many steps.
func long(steps int) *Report {
	r := crowd(4)
	f := &r.Findings[0]
	tail := f.Interleaving[len(f.Interleaving)-2:]
	f.Edges, f.Interleaving = nil, nil
	for i := range steps - 2 {
		f.Interleaving = append(f.Interleaving, Step{Goroutine: fmt.Sprint("0.", i/4%3+1), Op: "read", Expr: fmt.Sprintf("q.items[%d]", i%7), Position: Position{Func: "(*Queue).run", File: "queue.go", Line: 20 + i%7}})
		if i > 4 {
			f.Edges = append(f.Edges, Edge{i - 4, i, EdgeValue})
		}
	}
	f.Interleaving = append(f.Interleaving, tail...)
	return r
}

// hundreds is a report of so many findings.
func hundreds(t testing.TB, findings int) *Report {
	r := stored(t, "bank")
	one := r.Findings[0]
	r.Findings = nil
	for i := range findings {
		one.ID = fmt.Sprintf("race-%06x", i)
		r.Findings = append(r.Findings, one)
	}
	return r
}

func html(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteHTML(&b, r))
	return b.String()
}

// Each finding has a lane for each goroutine, each step a row, and what the terminal's table
// leaves out is folded.
func TestPage(t *testing.T) {
	text := html(t, stored(t, "bank"))
	assert.Equal(t, 3, strings.Count(text, `class="lane"`))
	assert.Equal(t, 11, strings.Count(text, `role="option"`))
	assert.NotContains(t, text, `class="gap"`)
	assert.Contains(t, text, "Goroutine 0.1 goes first")
	assert.Contains(t, text, `<code>gopredict replay testdata/predict/TestReceipt/race-4f367a</code>`)
	assert.Contains(t, text, `data-edges="go 1 lock 7"`)
	assert.Contains(t, text, "Left out: 2 that no run can show")

	text = html(t, stored(t, "abba"))
	assert.Contains(t, text, "waits for to.mu (abba.go:17), which 0.2 holds (abba.go:14)")
	text = html(t, stored(t, "leftbehind"))
	assert.Contains(t, text, "Only a send to f.values, or a close of it could end this wait, and nobody has come to that.")

	text = html(t, crowd(20))
	assert.Equal(t, 20, strings.Count(text, `class="lane"`))
	assert.Contains(t, text, `class="gap"`)
	assert.Equal(t, len(crowd(20).Findings[0].Interleaving), strings.Count(text, `role="option"`))
}

// The rows are all steps, in order; those of a fold are hidden, and the folds say how many
// there are.
func TestPageFolds(t *testing.T) {
	r := long(60)
	v := newPageFinding(&r.Findings[0])
	next, hidden := 1, 0
	for _, row := range v.Rows {
		if row.Step == nil {
			assert.Equal(t, next, row.First)
			assert.Greater(t, row.Last, row.First, "a fold of one step takes as much room as the step")
			continue
		}
		assert.Equal(t, next, row.Number)
		assert.False(t, row.Hidden && row.Violation)
		if next++; row.Hidden {
			hidden++
		}
	}
	assert.Equal(t, 61, next)
	assert.Equal(t, v.Hidden, hidden)
	assert.Positive(t, hidden)
}

// A page needs nothing but itself, and what stands in the program is text there.
func TestPageIsAlone(t *testing.T) {
	r := stored(t, "bank")
	f := &r.Findings[0]
	const bad = `</script><img src=x onerror="alert(1)">`
	f.Test, f.Detail, f.Interleaving[0].Expr, f.Source[0].Lines[0] = bad, []string{bad}, bad, bad
	f.OrderOutcomes[0].Detail = []string{bad}
	text := html(t, r)
	assert.NotContains(t, text, "<img")
	assert.NotRegexp(t, regexp.MustCompile(`(?i)(src|href)="?[a-z]+:|url\(|@import|ZgotmplZ`), text)
}

// Large reports stay small enough to open.
func TestPageSize(t *testing.T) {
	assert.Less(t, len(html(t, hundreds(t, 20))), 500_000)
	assert.Less(t, len(html(t, hundreds(t, 200))), 5_000_000)
	assert.Less(t, len(html(t, long(5000))), 5_000_000)
}

// The README's sample is what is stored of the bank, and its picture one of that page.
func TestReadme(t *testing.T) {
	r := stored(t, "bank")
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	text := render(t, r, TextOptions{Command: "go tool gopredict"})
	const bar = "==================\n"
	sample := text[strings.Index(text, bar) : strings.LastIndex(text, bar)+len(bar)]
	assert.Contains(t, string(readme), sample)
	assert.Contains(t, string(readme), "](docs/page.png)")
	picture, err := os.ReadFile("../../docs/page.png")
	require.NoError(t, err)
	assert.Contains(t, string(picture), fmt.Sprintf("tEXtpage\x00%x", sha256.Sum256([]byte(html(t, r)))),
		"docs/page.png is a picture of another page: look at what has changed, and make it anew by go test -run Readme -update in testdata/browser")
}

// The report of a crowd is stored, too, for who opens pages.
func TestCrowd(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, crowd(20)))
	golden.Equal(t, "reports/crowd.json", b.String())
}

// The stored reports are what the schema says.
func TestStored(t *testing.T) {
	files, err := os.ReadDir("testdata/reports")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile("testdata/reports/" + file.Name())
		require.NoError(t, err)
		require.True(t, json.Valid(data))
		assert.Empty(t, validate(t, data), file.Name())
	}
}

// Goroutines with long names, of servers, are told by the end of these.
func TestLongNames(t *testing.T) {
	r := stored(t, "bank")
	f := &r.Findings[0]
	long := map[string]string{"0.1": "0.goServe-1.Serve-1", "0.2": "0.goServe-1.Serve-2.1"}
	for i := range f.Interleaving {
		s := &f.Interleaving[i]
		s.Goroutine = cmp.Or(long[s.Goroutine], s.Goroutine)
		s.Value = cmp.Or(long[s.Value], s.Value)
		if s.Switch != nil {
			s.Switch.From = cmp.Or(long[s.Switch.From], s.Switch.From)
		}
	}
	text := html(t, r)
	assert.Contains(t, text, "<b>…Serve-1</b>")
	assert.Contains(t, text, "<b>…Serve-2.1</b>")
	for width, want := range map[int]string{100: " │ goroutine …Serve-1 ", 80: " │   …Serve-2.1: lock a.mu "} {
		assert.Contains(t, render(t, r, TextOptions{Width: width}), want)
	}
}
