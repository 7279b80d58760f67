package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
)

// An outcome is what one command has shown of a case.
type outcome struct {
	Blocked []string      // the goroutines confirmed to be blocked for ever, as the suite writes them
	Runs    int64         // after the recorded one
	Took    time.Duration // of the processors, with building
}

// A finding is what is needed of one finding of the JSON report.
type finding struct {
	Kind     bug.Kind
	Status   bug.Status
	Accesses []access
	Also     []access // those that the same bug blocks
}

// An access is where a goroutine is blocked.
type access struct {
	Op    string
	Stack []struct{ Func string }
}

// predict runs gopredict on the test of a case.
func (s *suite) predict(ctx context.Context, c *leakCase) error {
	if err := os.RemoveAll(filepath.Join(s.dir, c.set, "testdata")); err != nil { // witnesses
		return err
	}
	var r struct {
		Packages []struct{ Runs int64 }
		Findings []finding
	}
	state, _, err := script.Predict(ctx, s.tool, s.dir, &r, "-count=1", "-run=^Test"+c.name+"$", "./"+c.set)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	o := &outcome{Took: state.UserTime() + state.SystemTime()}
	for _, p := range r.Packages {
		o.Runs += p.Runs
	}
	for _, f := range r.Findings {
		if f.Status != bug.Confirmed || f.Kind != bug.Leak && f.Kind != bug.Deadlock {
			continue
		}
		for _, a := range slices.Concat(f.Accesses, f.Also) {
			if n := len(a.Stack); n > 0 {
				o.Blocked = append(o.Blocked, started(a.Stack[n-1].Func)+"() ["+a.Op+"]")
			}
		}
	}
	c.outcomes = append(c.outcomes, o)
	return nil
}

// started makes the name of the function that a goroutine was started with that of the
// suite.
func started(fn string) string { return strings.TrimSuffix(fn, "-fm") }

// reasons are the runtime's words for what a goroutine waits in, by the operation that
// the report has for it.
var reasons = map[string][]string{
	"acq":    {"sync.Mutex.Lock", "sync.RWMutex.Lock"},
	"racq":   {"sync.RWMutex.RLock"},
	"send":   {"chan send", "chan send (nil chan)"},
	"recv":   {"chan receive", "chan receive (nil chan)"},
	"select": {"select", "select (no cases)"},
	"wait":   {"sync.Cond.Wait"},
	"wgwait": {"sync.WaitGroup.Wait"},
}

// shows reports whether o has the goroutine that l speaks of.
func (o *outcome) shows(l *leak) bool {
	for _, b := range o.Blocked {
		fn, op, _ := strings.Cut(strings.TrimSuffix(b, "]"), " [")
		for _, r := range reasons[op] {
			if l.pattern.MatchString(fn + " [" + r + "]") {
				return true
			}
		}
	}
	return false
}

// times is in how many outcomes of c a leak was confirmed.
func (c *leakCase) times(l *leak) (n int) {
	for _, o := range c.outcomes {
		if o.shows(l) {
			n++
		}
	}
	return n
}

// found says how many of the leaks are confirmed each time.
func (c *leakCase) found() string {
	all := 0
	for _, l := range c.leaks {
		if c.times(l) == len(c.outcomes) {
			all++
		}
	}
	return fmt.Sprintf("%d of %d", all, len(c.leaks))
}

// wrong are goroutines that are confirmed to be left behind in a case that has no leaks.
func (c *leakCase) wrong() (n int) {
	if len(c.leaks) > 0 && never[c.name] == "" {
		return 0
	}
	for _, o := range c.outcomes {
		n += len(o.Blocked)
	}
	return n
}
