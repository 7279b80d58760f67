package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A table is what docs/measured/replay.md holds.
type table struct {
	n       int
	rows    []row
	timings []timing
	cost    *cost // nil: not measured
	chance  int   // rounds of recording and replaying what depends on chance
}

func (t table) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Replays

How often a replay of each subject's witnesses stands at its bug, of %d replays
under each condition: on all processors, bound to the first one, while all are
kept busy by others, with other values of GOMAXPROCS for the test, and in a
binary that was built from a copy of the module in another folder. Written by

    go run ./internal/measure/reproduce -o docs/measured/replay.md

`, t.n)
	b.WriteString("| subject | witness |")
	for _, c := range conditions {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("--:|", len(conditions)) + "\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s | %s |", r.subject.name, filepath.Base(r.file))
		for _, n := range r.reached {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteString("\n")
	}
	t.misses(&b)
	if t.chance > 0 {
		fmt.Fprintf(&b, `
A test that depends on the choices of select, the order of maps, math/rand,
time.After, a context's time-out and a ticker has been recorded %[1]d times and
replayed %[1]d times: all traces were the same, event for event.
`, t.chance)
	}
	t.costs(&b)
	t.unconfirmed(&b)
	if t.cost != nil {
		t.cost.write(&b)
	}
	return b.String()
}

// misses writes why replays did not reach their bug.
func (t table) misses(b *strings.Builder) {
	title := "\nWhat did not stand at its bug:\n\n"
	for _, r := range t.rows {
		for c, why := range r.missed {
			if r.reached[c] < t.n {
				fmt.Fprintf(b, "%s- %s, %s, %s: %s\n", title, r.subject.name, filepath.Base(r.file), conditions[c].name, why)
				title = ""
			}
		}
	}
}

// write writes what many candidates cost.
func (c cost) write(b *strings.Builder) {
	cores := runtime.GOMAXPROCS(0)
	fmt.Fprintf(b, `
## Many candidates

A test with %d candidates: races in which what comes of one order the recorded run
has shown, so that each is confirmed by one replay, in the other order; and the same
test with one. The time is that from the first replay to the last, with what the
command does to plan, judge, read and save them; %d are run at the same time. Medians
of %d runs of each in turn, in ms. All of them may take 60 × as long as one on two
processors.

| | time |
|---|--:|
| the one candidate | %.1f |
| all %d candidates | %.0f |
| so many times as long | %.0f |

With GOMAXPROCS=1, for the command and the test, each of the %d takes %.1f ms. A replay
of %sgopredict replay -n%s, which records nothing and saves nothing, takes %.1f ms.
`, c.candidates, cores, measures, ms(c.one), c.candidates, ms(c.all), c.times, c.candidates, ms(c.inTurn), "`", "`", ms(c.again))
}

// costs writes what confirmed replays cost.
func (t table) costs(b *strings.Builder) {
	fmt.Fprintf(b, `
## Cost

What a replay costs beside a run of the same test as go test builds it, in
milliseconds: medians of %d runs of each in turn, and then over the subject's
replays, of which there are one or two for each witness. It may cost 1.5 × the plain
run and 50 ms.

| subject | replays | plain run | replay | its processor time | it may cost |
|---|--:|--:|--:|--:|--:|
`, rounds)
	var plain, replay, cpu []time.Duration
	for from := 0; from < len(t.timings); {
		name, to := t.timings[from].Subject, from
		var p, r, c []time.Duration
		for ; to < len(t.timings) && t.timings[to].Subject == name; to++ {
			if x := t.timings[to]; x.Confirmed {
				p, r, c = append(p, x.Plain), append(r, x.Replay), append(c, x.CPU)
			}
		}
		from = to
		if len(p) == 0 {
			continue
		}
		costRow(b, name, len(p), median(p), median(r), median(c))
		plain, replay, cpu = append(plain, median(p)), append(replay, median(r)), append(cpu, median(c))
	}
	if len(plain) > 0 {
		costRow(b, "median", len(plain), median(plain), median(replay), median(cpu))
	}
}

func costRow(b *strings.Builder, name string, n int, plain, replay, cpu time.Duration) {
	fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %.1f | %.1f |\n", name, n, ms(plain), ms(replay), ms(cpu), 1.5*ms(plain)+50)
}

// unconfirmed writes what replays cost that come to nothing.
func (t table) unconfirmed(b *strings.Builder) {
	b.WriteString(`
## Candidates that are not confirmed

What it costs to find out that a schedule cannot be kept, in milliseconds, and
what the report says then. It may cost 100 ms more than the plain run. Where there is
no reason, a longer schedule decided, or it was a further run, on the way to an
assertion.

| subject | test | plain run | replay | reason |
|---|---|--:|--:|---|
`)
	left := slices.DeleteFunc(slices.Clone(t.timings), func(x timing) bool { return x.Confirmed })
	for len(left) > 0 {
		first := left[0]
		var plain, replay []time.Duration
		for len(left) > 0 && left[0].Subject == first.Subject && left[0].Tests == first.Tests {
			plain, replay = append(plain, left[0].Plain), append(replay, left[0].Replay)
			left = left[1:]
		}
		fmt.Fprintf(b, "| %s | %s | %.1f | %.1f | %s |\n", first.Subject, first.Tests, ms(median(plain)), ms(median(replay)), first.Reason)
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// good reports whether each replay reached its bug, and there were any.
func (t table) good() bool {
	for _, r := range t.rows {
		for _, n := range r.reached {
			if n != t.n {
				return false
			}
		}
	}
	return len(t.rows) > 0 || t.cost != nil || t.chance > 0
}
