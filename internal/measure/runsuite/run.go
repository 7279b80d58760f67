package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// traceLimit is how much of a run is recorded, in bytes of events: enough for
// nearly all programs, and little enough to check a thousand traces.
const traceLimit = 16 << 20

// A run is what a program did.
type run struct {
	output string // both of its outputs, as they came
	exit   string // "exit status 0", or what ended it
}

// execute runs the binary of p where Go's own tests run it.
func (s *suite) execute(ctx context.Context, p *program, binary string, limit time.Duration, env ...string) (run, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(bounded, binary, p.args...)
	cmd.Dir = s.root
	cmd.Env = append(append(s.env, "PWD="+s.root), env...)
	cmd.WaitDelay = time.Second // for what it has started
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return run{}, ctx.Err()
	case bounded.Err() != nil:
		return run{out.String(), fmt.Sprintf("killed after %v", limit)}, nil
	case err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay):
		return run{}, err
	}
	return run{out.String(), cmd.ProcessState.String()}, nil
}

// differs says in what r is not the run of a program that exits with 0 and
// prints want, "" if in nothing.
func (r run) differs(want string) string {
	switch {
	case r.exit != "exit status 0":
		said, _, _ := strings.Cut(r.output, "\ngoroutine ")
		return r.exit + ": " + excerpt(logTime.ReplaceAllString(said, ""))
	case r.output != want:
		return "expected output " + excerpt(firstDifference(want, r.output)) + ", found " + excerpt(firstDifference(r.output, want))
	}
	return ""
}

// logTime is what package log writes before a line; the table leaves it out, so
// that it changes with the programs only.
var logTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

// firstDifference is what a has from the first line on that b does not have.
func firstDifference(a, b string) string {
	for {
		line, rest, more := strings.Cut(a, "\n")
		other, otherRest, _ := strings.Cut(b, "\n")
		if line != other || !more {
			return a
		}
		a, b = rest, otherRest
	}
}

func excerpt(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// recorded runs the instrumented binary of p, once to record and once for
// nothing, and notes what is different.
func (s *suite) recorded(ctx context.Context, p *program, binary string, sites []trace.Site) error {
	file := binary + ".trace"
	defer os.Remove(file)
	r, err := s.execute(ctx, p, binary, s.limit, recorder.RecordInto(file, traceLimit))
	if err != nil {
		return err
	}
	p.failed = r.differs(p.want)
	if p.failed == "" {
		p.failed = p.check(file, sites)
	}
	if p.failed == "" {
		if r, err = s.execute(ctx, p, binary, s.limit); err == nil && r.differs(p.want) != "" {
			p.failed = "not recorded: " + r.differs(p.want)
		}
	}
	return err
}

// check says what is wrong with p's trace.
func (p *program) check(file string, sites []trace.Site) string {
	t, err := trace.ReadFile(file)
	if os.IsNotExist(err) {
		p.silent = true // the run-time library is linked only if something calls it
		return ""
	} else if err != nil {
		return err.Error()
	}
	t.AddSites(sites)
	p.cut = t.Meta.Limit > 0
	if err := trace.Validate(t); err != nil {
		return err.Error()
	}
	if !t.Complete && !p.cut {
		return "the trace has no end"
	}
	return ""
}

// each calls f for all programs, on as many goroutines as there are
// processors, and returns the first error.
func each(programs []*program, f func(*program) error) error {
	errs := make([]error, len(programs))
	slots := make(chan struct{}, runtime.NumCPU())
	var wg sync.WaitGroup
	for i, p := range programs {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = f(p)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
