package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/subjects"
	"github.com/gopredict/gopredict/recorder/predictrt"
)

// A timing is what one replay costs beside a plain run of its test.
type timing struct {
	Subject       string
	Tests         string        // as for -test.run
	Plain, Replay time.Duration // medians
	CPU           time.Duration // of Replay, on all processors
	Confirmed     bool
	Reason        string // why it is not, as the report says
}

// The environment of the program that is given to gopredict as -exec.
const (
	envTimings = "REPRODUCE_TIMINGS" // the file to add timings to
	envPlain   = "REPRODUCE_PLAIN"   // the folder of the plain test binaries
)

// rounds is how often a replay and a plain run are timed, in turn.
const rounds = 7

// runTimed runs a test binary in place of gopredict. A replay is run several
// times, in turn with a plain run, and their times are added to the file. It
// returns the exit code.
func runTimed(line []string) (int, error) {
	mode := os.Getenv(predictrt.EnvVar)
	if !strings.HasPrefix(mode, "replay;") {
		code, _, err := command(line, mode, os.Stdout)
		return code, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	var t timing
	var plain, replay, cpu []time.Duration
	verdict, written := "", []string(nil) // what the replay writes
	for _, part := range strings.Split(mode, ";") {
		name, file, _ := strings.Cut(part, "=")
		if name == "verdict" {
			verdict = file
		}
		if name == "verdict" || name == "trace" {
			written = append(written, file)
		}
	}
	plainly := append([]string{filepath.Join(os.Getenv(envPlain), filepath.Base(dir)+".test")}, line[1:]...)
	for _, arg := range line {
		if names, ok := strings.CutPrefix(arg, "-test.run="); ok {
			t.Tests = names
		}
	}
	code, out := 0, new(bytes.Buffer)
	for range rounds {
		start := time.Now()
		if _, _, err := command(plainly, "", io.Discard); err != nil {
			return 0, err
		}
		plain = append(plain, time.Since(start))
		out.Reset()
		for _, file := range written { // as gopredict does between replays
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return 0, err
			}
		}
		start = time.Now()
		var used time.Duration
		if code, used, err = command(line, mode, out); err != nil {
			return 0, err
		}
		replay, cpu = append(replay, time.Since(start)), append(cpu, used)
	}
	t.Plain, t.Replay, t.CPU = median(plain), median(replay), median(cpu)
	text, err := os.ReadFile(verdict)
	if err != nil {
		return 0, err
	}
	t.Confirmed = strings.Contains(string(text), "\nconfirmed\n")
	if _, err := os.Stdout.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return code, t.add(os.Getenv(envTimings))
}

// command runs a command with mode as the word to the run-time library, and
// returns its exit code and the processor time that it took.
func command(line []string, mode string, out io.Writer) (int, time.Duration, error) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, out
	cmd.Env = os.Environ()
	if mode == "" {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, predictrt.EnvVar+"=") })
	}
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return 0, 0, err
	}
	return cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// add adds the timing to a file, as one line.
func (t timing) add(file string) error {
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func median[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// timings runs the subject through gopredict, and returns what each replay cost.
func (s subject) timings(ctx context.Context) ([]timing, error) {
	dir, plain := filepath.Join(s.work, "timed", s.name), filepath.Join(s.work, "plain", s.name)
	if err := subjects.Copy(s.root, s.name, dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(plain, 0o777); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", plain+string(filepath.Separator), "./...")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(build.Args, " "), err, out)
	}
	file, report := filepath.Join(plain, "timings"), filepath.Join(plain, "report.json")
	// One replay at a time.
	test := exec.CommandContext(ctx, s.tool, "test", "-exec", self+" -timed", "-predict.json="+report, "./...")
	test.Dir = dir
	test.Env = append(os.Environ(), "GOMAXPROCS=1", envTimings+"="+file, envPlain+"="+plain)
	if err := confirms(test); err != nil {
		return nil, err
	}
	return s.readTimings(file, report)
}

// readTimings reads what runTimed has written, and the reasons from the report.
func (s subject) readTimings(file, report string) ([]timing, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	var r struct {
		Findings []struct {
			Test, Reason string
			Replays      int
		}
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // nothing was replayed
		return nil, err
	}
	var out []timing
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var t timing
		if err := d.Decode(&t); err != nil {
			return nil, err
		}
		t.Subject = s.name
		t.Tests = strings.Trim(t.Tests, "^()$")
		for _, f := range r.Findings {
			if f.Replays > 0 && f.Test == t.Tests {
				t.Reason = f.Reason
			}
		}
		out = append(out, t)
	}
	return out, nil
}
