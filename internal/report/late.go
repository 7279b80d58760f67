package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// onTime says what a failure or deadlock rests on, nil if it does not rest on time.
func onTime(ev *Evidence, n namer) *Time {
	r := ev.Result
	if !r.Timed {
		return nil
	}
	t := &Time{Late: []string{}}
	longest := time.Millisecond // less is told as that
	for _, l := range r.Late {
		t.Late = append(t.Late, n.goroutine(l.Goroutine))
		longest = max(longest, l.For.Round(time.Millisecond))
	}
	t.ForS = longest.Seconds()
	if r.Late[0].By == "" {
		return t
	}
	l := r.Late[0]
	t.Goroutine, t.Wait, t.Func = n.goroutine(l.By), l.Why, n.function(l.Func)
	at := strings.LastIndexByte(l.Pos, ':')
	if at < 0 {
		return t
	}
	t.Line, _ = strconv.Atoi(l.Pos[at+1:])
	t.File = ev.Files.Name(l.Pos[:at])
	if ev.Source != nil {
		t.Expr = timer(ev.Source(l.Pos[:at], t.Line))
	}
	return t
}

// timer returns the call of package time in a line of the program, "" if there is none.
func timer(line string) string {
	at := strings.Index(line, "time.")
	if at < 0 {
		return ""
	}
	depth := 0
	for i, c := range line[at:] {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return line[at : at+i+1]
			}
		}
	}
	return ""
}

// maxLate is how many goroutines are named that come late.
const maxLate = 3

// String says that a failure or deadlock rests on time, and on what, in one line or two: for how long,
// where the call of package time does not say that.
func (t *Time) String() string {
	n := len(t.Late)
	who := "goroutine " + strings.Join(t.Late[:min(n, maxLate)], ", ")
	if n > 1 {
		who = "one of " + strings.Replace(who, "goroutine", "goroutines", 1)
	}
	if n > maxLate {
		who += fmt.Sprintf(" and %d more", n-maxLate)
	}
	text := "This rests on time: it fails if " + who + " takes longer than "
	long := time.Duration(t.ForS * float64(time.Second)).Round(time.Millisecond)
	if t.Goroutine == "" {
		return fmt.Sprintf("%sa timer of %v.", text, long)
	}
	what := t.Expr
	if what == "" {
		what = fmt.Sprintf("a %s for %v", strings.TrimPrefix(t.Wait, "chan "), long)
	}
	return fmt.Sprintf("%sgoroutine %s waits:\n  %s at %s", text, t.Goroutine, what, pos(t.File, t.Line))
}
