package replayer

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Outcome is how a run of tests ended.
type Outcome struct {
	Effect bug.Effect
	Failed []string // names of the tests and subtests that failed, sorted
	Detail []string // panic text, or the lines that the failing tests printed
	// TimedOut is set if the run was ended by a timeout. That alone is no effect: it is one (a
	// deadlock) only if no goroutine could go on.
	TimedOut bool
}

// RecordedOutcome returns the outcome of the recorded run t as far as the trace shows it: which
// tests failed, and whether one panicked.
func RecordedOutcome(t *trace.Trace) Outcome {
	o := Outcome{Effect: bug.NoEffect}
	for _, e := range t.Events {
		if e.Kind == trace.TestEnd && e.Val == 1 && e.Obj < uint64(len(t.TestNames)) {
			o.Failed = append(o.Failed, t.TestNames[e.Obj])
			o.Effect = bug.TestFailure
		}
	}
	if !t.Complete && t.Meta.Limit == 0 {
		// The run was cut off; a panic is the usual reason.
		for _, e := range slices.Backward(t.Events) {
			if e.Kind == trace.Panic {
				o.Effect = bug.Panic
				break
			}
		}
	}
	if slices.ContainsFunc(t.Blocked, func(s trace.BlockedGoroutine) bool { return s.Proof == trace.ProofDeadlock }) {
		o.Effect = bug.Blocks
	}
	slices.Sort(o.Failed)
	o.Failed = slices.Compact(o.Failed)
	return o
}

// WithoutTests returns the outcome o of a run as if some of its top-level tests had passed.
func (o Outcome) WithoutTests(tests []string) Outcome {
	out := Outcome{Effect: bug.NoEffect}
	for _, name := range o.Failed {
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(tests, top) {
			out.Failed, out.Effect = append(out.Failed, name), bug.TestFailure
		}
	}
	return out
}

var (
	failLine  = regexp.MustCompile(`^\s*--- FAIL: (\S+)(?: \([0-9.]+s\))?$`)
	logLine   = regexp.MustCompile(`^    +\S+\.go:\d+: `)
	otherLine = regexp.MustCompile(`^(\s*--- (PASS|SKIP|BENCH): |=== |PASS$|FAIL$|FAIL\t|ok  \t|exit status )`)
	frameArgs = regexp.MustCompile(`\([^()]*\)$`)
	stateLine = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],]+)[^\]]*\]:$`)
)

// judgeOutput returns the outcome of a run by its output, its exit code (0: well, -1: by a
// signal), and a text that says how it ended. What the tests with known names printed is no
// detail.
func judgeOutput(output string, exit int, ended string, known []string) Outcome {
	lines := strings.Split(strings.ReplaceAll(output, "\r\n", "\n"), "\n")
	o := Outcome{Effect: bug.NoEffect}
	if exit == 0 {
		return o
	}
	if i := lineWithPrefix(lines, "panic: test timed out after "); i >= 0 {
		o.TimedOut = true
		if allBlocked(lines[i:]) {
			o.Effect = bug.Blocks
			o.Detail = []string{"every goroutine is blocked for ever; " + strings.TrimPrefix(lines[i], "panic: ")}
		}
		return o
	}
	if i := lineWithPrefix(lines, "fatal error: all goroutines are asleep"); i >= 0 {
		o.Effect, o.Detail = bug.Blocks, lines[i:i+1]
		return o
	}
	o.Failed, o.Detail = failures(lines, known)
	if i := crashLine(lines); i >= 0 && exit != 1 {
		o.Effect, o.Detail = bug.Panic, panicText(lines[i:])
		return o
	}
	o.Effect = bug.TestFailure
	if len(o.Detail) == 0 {
		o.Detail = []string{"the test binary ended with " + ended}
	}
	return o
}

// crashLine returns the index of the line where the runtime reports a crash, or -1. The report
// does not start a line if the program had left one unfinished.
func crashLine(lines []string) int {
	for i, l := range lines {
		for _, word := range []string{"panic: ", "fatal error: "} {
			if at := strings.Index(l, word); at == 0 || at > 0 && stackFollows(lines[i+1:]) {
				lines[i] = l[at:]
				return i
			}
		}
	}
	return -1
}

// stackFollows reports whether the next paragraph is a goroutine's stack.
func stackFollows(lines []string) bool {
	i := slices.Index(lines, "")
	return i >= 0 && i+1 < len(lines) && stateLine.MatchString(lines[i+1])
}

// lineWithPrefix returns the index of the first line that begins with prefix, or -1.
func lineWithPrefix(lines []string, prefix string) int {
	return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
}

// failures returns the names of the failed tests and the lines that they logged, without times and
// without those of the known tests. Under -v a test's lines precede its "--- FAIL" line; else they
// follow it.
func failures(lines, known []string) (names, detail []string) {
	var before []string
	after, skip := false, false // the lines that follow belong to a failed test
	for _, l := range lines {
		switch m := failLine.FindStringSubmatch(l); {
		case m != nil:
			names = append(names, m[1])
			after, skip = true, slices.Contains(known, m[1])
			if !skip {
				line, _, _ := strings.Cut(l, " (")
				detail = append(append(detail, line), before...)
			}
			before = nil
		case otherLine.MatchString(l):
			before, after = nil, false
		case after && strings.HasPrefix(l, "    "):
			if !skip {
				detail = append(detail, l)
			}
		case logLine.MatchString(l), len(before) > 0 && strings.HasPrefix(l, "        "):
			before = append(before, l)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), limitLinesOf(withoutRepeats(detail), len(detail))
}

// withoutRepeats removes repeated logs of one place of the program, the last repetition first, if
// there are more lines than are shown: a place that logs all the time must not hide the reason of
// the failure.
func withoutRepeats(lines []string) []string {
	if len(lines) <= maxDetail {
		return lines
	}
	seen := make(map[string]bool)
	repeats := make([]bool, len(lines))
	repeated := false // the current lines repeat a log of their place
	for i, l := range lines {
		if place := logLine.FindString(l); place != "" {
			repeated, seen[place] = seen[place], true
		} else if failLine.MatchString(l) {
			repeated = false
		}
		repeats[i] = repeated
	}
	over := len(lines) - (maxDetail - 1) // the last line says how many are left out
	var kept []string
	for i, l := range slices.Backward(lines) {
		if over > 0 && repeats[i] {
			over--
			continue
		}
		kept = append(kept, l)
	}
	slices.Reverse(kept)
	return kept
}

// panicText returns the text of a crash, to its first empty line, and then its stack, innermost
// first, without the frames of the runtime.
func panicText(lines []string) []string {
	end := slices.Index(lines, "")
	if end < 0 {
		end = len(lines)
	}
	if g := slices.IndexFunc(lines[:end], func(l string) bool { return strings.HasPrefix(l, "goroutine ") }); g >= 0 {
		end = g
	}
	text := limitLines(slices.Clone(lines[:end]))
	frames, inside := 0, false
	for i := end; i+1 < len(lines) && frames < maxFrames; i++ {
		if inside && lines[i] == "" { // the stack of the next goroutine follows
			break
		}
		pos, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue
		}
		inside = true
		if !isRuntimeFrame(lines[i]) {
			pos, _, _ = strings.Cut(pos, " +0x")
			text = append(text, fmt.Sprintf("in %s at %s", frameArgs.ReplaceAllString(lines[i], ""), filepath.Base(pos)))
			frames++
		}
	}
	return text
}

// isRuntimeFrame reports whether a line of a stack names a function of the runtime or of the test
// framework.
func isRuntimeFrame(line string) bool {
	for _, p := range []string{"panic(", "runtime.", "runtime/", "predictrt.", "testing.", "sync.", "sync/", "internal/", "created by "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// allBlocked reports whether, by the stacks that a timed-out test printed, no goroutine could go
// on: all wait for another, except the one that prints.
func allBlocked(lines []string) bool {
	running, blocked := 0, 0
	for _, l := range lines {
		m := stateLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		state, _, _ := strings.Cut(m[1], " (")
		switch {
		case state == "running":
			running++
		case strings.HasPrefix(state, "chan "), state == "select", state == "semacquire", strings.HasPrefix(state, "sync."):
			blocked++
		default: // runnable, sleep, IO wait, syscall, …
			return false
		}
	}
	return running <= 1 && blocked > 0
}

// limitLines bounds lines in number and length.
func limitLines(lines []string) []string { return limitLinesOf(lines, len(lines)) }

// limitLinesOf is limitLines for lines of which there were more before.
func limitLinesOf(lines []string, all int) []string {
	if all > maxDetail {
		shown := min(len(lines), maxDetail-1)
		lines = append(lines[:shown:shown], fmt.Sprintf("… %d more lines …", all-shown))
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > 200 {
			lines[i] = string(r[:200]) + "…"
		}
	}
	return lines
}

// sinceRecorded returns o with no effect if the recorded run ended as badly, and the same tests
// failed.
func (o Outcome) sinceRecorded(recorded Outcome) Outcome {
	if o.Effect.Severity() > recorded.Effect.Severity() {
		return o
	}
	if o.Effect == bug.TestFailure {
		for _, name := range o.Failed {
			if !slices.Contains(recorded.Failed, name) {
				return o
			}
		}
	}
	o.Effect, o.Detail = bug.NoEffect, nil
	return o
}
