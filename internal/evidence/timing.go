package evidence

import (
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/report"
)

// timing returns what a failure or deadlock rests on; nil if it does not rest on time.
func (b builder) timing() *report.Time {
	r := b.Result
	if !r.DependsOnTime {
		return nil
	}
	t := &report.Time{Delayed: []string{}}
	longest := time.Millisecond // less is reported as that
	for _, l := range r.Overtaken {
		t.Delayed = append(t.Delayed, b.goroutine(l.Goroutine))
		longest = max(longest, l.Delay.Round(time.Millisecond))
	}
	t.DelayS = longest.Seconds()
	l := r.Overtaken[0]
	if l.Waiter == "" {
		return t
	}
	t.Goroutine, t.WaitKind, t.Func = b.goroutine(l.Waiter), l.WaitReason, b.function(l.Func)
	colon := strings.LastIndexByte(l.Position, ':')
	if colon < 0 {
		return t
	}
	t.Line, _ = strconv.Atoi(l.Position[colon+1:])
	t.File = b.Files.Name(l.Position[:colon])
	if b.Source != nil {
		t.Expr = timeCall(b.Source(l.Position[:colon], t.Line))
	}
	return t
}

// timeCall returns the call of package time in a line of the program, "" if there is none.
func timeCall(line string) string {
	start := strings.Index(line, "time.")
	if start < 0 {
		return ""
	}
	depth := 0
	for i, c := range line[start:] {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return line[start : start+i+1]
			}
		}
	}
	return ""
}
