package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
)

// A way is one of the ways to run a test that are compared.
type way int

const (
	plain way = iota
	race
	recorded
	ways
)

// A subject is a package whose tests are measured, built in each way.
type subject struct {
	dir      string // of the package, absolute
	work     string // absolute
	binaries [ways]string
}

// buildSubject builds the test binaries of the package in dir, in work.
func buildSubject(ctx context.Context, dir, work string) (*subject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &subject{dir: dir, work: work}
	for w, flags := range [][]string{plain: nil, race: {"-race"}} {
		s.binaries[w] = filepath.Join(work, fmt.Sprintf("way%d.test", w))
		args := append([]string{"test", "-vet=off", "-c", "-o", s.binaries[w]}, flags...)
		cmd := gotool.Command(ctx, dir, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	build, err := recorder.Prepare(ctx, &recorder.Config{
		Dir: dir, Env: env, Work: work, Stdout: os.Stderr, Stderr: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	s.binaries[recorded], err = build.TestBinary(ctx)
	return s, err
}

// tests returns the names of the tests that pattern selects.
func (s *subject) tests(ctx context.Context, pattern string) ([]string, error) {
	cmd := exec.CommandContext(ctx, s.binaries[plain], "-test.list", pattern)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// A cost is what one run of a test took.
type cost struct {
	seconds float64 // wall time of the process
	memory  float64 // peak resident memory in MiB
	trace   float64 // size of the trace in MiB
}

// measure runs the tests that pattern selects in each way, in turns, and
// returns the least time of each way, as what else happens on the machine only
// ever adds to it, and the greatest memory that was seen.
func (s *subject) measure(ctx context.Context, pattern string, rounds int) (costs [ways]cost, err error) {
	for round := range rounds {
		for w := range ways {
			c, err := s.run(ctx, w, pattern)
			if err != nil {
				return costs, err
			}
			if round == 0 {
				costs[w] = c
			} else {
				costs[w] = cost{min(c.seconds, costs[w].seconds), max(c.memory, costs[w].memory), c.trace}
			}
		}
	}
	return costs, nil
}

func (s *subject) run(ctx context.Context, w way, pattern string) (cost, error) {
	var c cost
	cmd := exec.CommandContext(ctx, s.binaries[w], "-test.run", pattern)
	cmd.Dir = s.dir
	trace := filepath.Join(s.work, "trace")
	switch w {
	case race:
		// It would sleep for a second before it exits.
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	case recorded:
		cmd.Env = append(os.Environ(), "GOPREDICT_RT=record;trace="+trace)
		defer os.Remove(trace)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return c, err
	}
	done := make(chan struct{})
	peak := watchMemory(cmd.Process.Pid, done)
	err := cmd.Wait()
	c.seconds = time.Since(start).Seconds()
	close(done)
	c.memory = <-peak
	if err != nil {
		return c, fmt.Errorf("%v\n%s", err, out.Bytes())
	}
	if w == recorded {
		fi, err := os.Stat(trace)
		if err != nil {
			return c, err
		}
		c.trace = float64(fi.Size()) / (1 << 20)
	}
	return c, nil
}
