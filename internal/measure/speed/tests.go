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
	"github.com/gopredict/gopredict/recorder/trace"
)

// tests are those of one package, built in each way.
type tests struct {
	dir      string // of the package, absolute
	work     string // absolute
	limit    int    // of traces, see [recorder.RecordInto]
	binaries [ways]string
}

// buildTests builds the test binaries of the package in dir, in work.
func buildTests(ctx context.Context, dir, work string) (*tests, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	p := &tests{dir: dir, work: work, limit: trace.MaxLogged}
	for w, flags := range [][]string{plain: nil, race: {"-race"}} {
		p.binaries[w] = filepath.Join(work, fmt.Sprintf("way%d.test", w))
		args := append([]string{"test", "-vet=off", "-c", "-o", p.binaries[w]}, flags...)
		cmd := gotool.Command(ctx, dir, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: go %s: %v\n%s", dir, strings.Join(args, " "), err, out)
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
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	p.binaries[recorded], err = build.TestBinary(ctx)
	return p, err
}

// attempts is how often tests may fail: those of the suites that wait for a
// fixed time do on a busy machine.
const attempts = 3

// run runs the tests that pattern selects until they pass.
func (p *tests) run(ctx context.Context, w way, pattern string) (c cost, err error) {
	for range attempts {
		if c, err = p.runOnce(ctx, w, pattern); err == nil {
			break
		}
	}
	return c, err
}

// runOnce runs the tests that pattern selects. The time is that of the whole
// process, until its trace is in the file.
func (p *tests) runOnce(ctx context.Context, w way, pattern string) (cost, error) {
	var c cost
	cmd := exec.CommandContext(ctx, p.binaries[w], "-test.run", pattern)
	cmd.Dir = p.dir
	file := filepath.Join(p.work, "trace")
	switch w {
	case race:
		// It would sleep for a second before it exits.
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	case recorded:
		cmd.Env = append(os.Environ(), recorder.RecordInto(file, p.limit))
		defer os.Remove(file)
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
		err = c.look(file)
	}
	return c, err
}

// look notes what there is to know of the trace.
func (c *cost) look(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	c.trace = float64(info.Size()) / (1 << 20)
	t, err := trace.ReadFile(file)
	if err != nil {
		return err
	}
	c.cut = t.Meta.Limit > 0 || len(t.Cuts) > 0
	return nil
}
