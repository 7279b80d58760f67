package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// detect runs each test count times with go test -race.
func (s *subject) detect(ctx context.Context, count int) error {
	for _, p := range s.pkgs {
		bin := filepath.Join(s.dir, p.name+".race")
		build := exec.CommandContext(ctx, "go", "test", "-race", "-c", "-o", bin, "./"+p.name)
		build.Dir = s.dir
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go test -race of %s: %w\n%s", p.name, err, out)
		}
		for _, v := range p.tests {
			if err := v.detect(ctx, bin, filepath.Join(s.dir, p.name), count); err != nil {
				return fmt.Errorf("%s: %s: %w", p.name, v.name, err)
			}
		}
	}
	return nil
}

// detect runs a test with the binary bin until it has run count times: a panic
// ends the runs that one process makes.
func (v *variation) detect(ctx context.Context, bin, dir string, count int) error {
	for v.runs < count {
		cmd := exec.CommandContext(ctx, bin, "-test.v", "-test.run=^(TestWarm|"+v.name+")$",
			fmt.Sprintf("-test.count=%d", count-v.runs), "-test.timeout=1m")
		cmd.Dir = dir
		// Each run is told of, not each race once.
		cmd.Env = append(os.Environ(), "GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 atexit_sleep_ms=50")
		out, err := cmd.CombinedOutput() // what is seen makes tests fail
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		runs := strings.Split("\n"+string(out), "\n=== RUN   "+v.name+"\n")[1:]
		if len(runs) == 0 {
			return fmt.Errorf("expected that the test runs, found: %v\n%s", err, out)
		}
		for _, run := range runs {
			v.runs++
			if seen(run, v.name) {
				v.seen++
			}
		}
	}
	return nil
}

// seen reports whether the output of a test's run tells of a bug.
func seen(output, name string) bool {
	for _, sign := range []string{"DATA RACE", "--- FAIL: " + name + " ", "panic:", "fatal error:"} {
		if strings.Contains(output, sign) {
			return true
		}
	}
	return false
}
