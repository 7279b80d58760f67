package bugs

import (
	"bytes"
	"cmp"
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

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/predictrt"
)

// A timing is what one replay costs, and a plain run of its test.
type timing struct {
	Subject       string
	Tests         string        // as for -test.run
	Plain, Replay time.Duration // medians
	CPU           time.Duration // of Replay, on all processors
	Confirmed     bool
	Reason        string // why it is not, as the report says
}

// TimedReplay is the first argument with which this command runs a test binary in place of
// gopredict; see [RunTimed].
const TimedReplay = "-timed"

// Environment variables of the program that is given to gopredict as -exec.
const (
	envTimings = "REPRODUCE_TIMINGS" // the file to add timings to
	envPlain   = "REPRODUCE_PLAIN"   // the folder of the plain test binaries
)

// timingRounds is how often a replay and a plain run are timed, in turn.
const timingRounds = 7

// RunTimed runs a test binary in place of gopredict, if the arguments begin with TimedReplay, and
// ends the process with its exit code. A replay is run several times, in turn with a plain run,
// and their times are added to a file.
func RunTimed(args []string) {
	if len(args) < 2 || args[0] != TimedReplay {
		return
	}
	code, mode := 3, os.Getenv(predictrt.EnvVar)
	err := run.Catch(func() {
		if strings.HasPrefix(mode, "replay;") {
			code = timeReplay(args[1:], mode)
		} else {
			code, _ = runBinary(args[1:], mode, os.Stdout)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
	}
	os.Exit(code)
}

// timeReplay times a replay, whose mode has the names of the files that it writes.
func timeReplay(line []string, mode string) (code int) {
	var t timing
	var plain, replay, cpu []time.Duration
	files := make(map[string]string)
	for _, part := range strings.Split(mode, ";") {
		if name, file, _ := strings.Cut(part, "="); name == "verdict" || name == "trace" {
			files[name] = file
		}
	}
	dir := run.Must(os.Getwd())
	plainly := append([]string{filepath.Join(os.Getenv(envPlain), filepath.Base(dir)+".test")}, line[1:]...)
	for _, arg := range line {
		if names, ok := strings.CutPrefix(arg, "-test.run="); ok {
			t.Tests = strings.Trim(names, "^()$")
		}
	}
	var out bytes.Buffer
	for range timingRounds {
		start := time.Now()
		runBinary(plainly, "", io.Discard)
		plain = append(plain, time.Since(start))
		out.Reset()
		for _, file := range files { // as gopredict does between replays
			if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
				run.Check(err)
			}
		}
		start = time.Now()
		var used time.Duration
		code, used = runBinary(line, mode, &out)
		replay, cpu = append(replay, time.Since(start)), append(cpu, used)
	}
	t.Plain, t.Replay, t.CPU = median(plain), median(replay), median(cpu)
	t.Confirmed = strings.Contains(run.ReadFile(files["verdict"]), "\nconfirmed\n")
	run.Must(os.Stdout.Write(out.Bytes()))
	f := run.Must(os.OpenFile(os.Getenv(envTimings), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))
	defer f.Close()
	run.Check(json.NewEncoder(f).Encode(t))
	return code
}

// runBinary runs a test binary with mode as the word to the run-time library, and returns its
// exit code and the processor time that it took.
func runBinary(line []string, mode string, out io.Writer) (int, time.Duration) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, out
	cmd.Env = os.Environ()
	if mode == "" {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, predictrt.EnvVar+"=") })
	}
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		run.Check(err)
	}
	return cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func median[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// timeSubject runs a subject through gopredict, and returns what each replay cost.
func timeSubject(j *run.Job, subject string) (all []timing) {
	j.Log("timing %s", subject)
	dir := run.CopySubject(subject, filepath.Join(j.Dir, "timed", subject))
	plain := j.Sub("plain", subject)
	j.Go(dir, "test", "-c", "-o", plain+string(filepath.Separator), "./...")
	file := filepath.Join(plain, "timings")
	self := run.Must(os.Executable())
	// One replay at a time.
	r, _ := j.PredictWith(run.Command{
		Dir: dir, Env: []string{"GOMAXPROCS=1", envTimings + "=" + file, envPlain + "=" + plain},
		Args: []string{"-exec", self + " " + TimedReplay, "./..."},
	})
	data, err := os.ReadFile(file)
	if !errors.Is(err, os.ErrNotExist) { // then nothing was replayed
		run.Check(err)
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		t := timing{Subject: subject}
		run.Check(d.Decode(&t))
		t.Subject = subject
		for _, f := range r.Findings {
			if f.Replays > 0 && f.Test == t.Tests {
				t.Reason = f.Reason
			}
		}
		all = append(all, t)
	}
	return all
}

// A replayCost is the median of the timings of one subject, in milliseconds.
type replayCost struct {
	Name, Tests, Reason      string
	Replays                  int
	Plain, Replay, Processor float64
}

// Limit is what a replay may cost.
func (c replayCost) Limit() float64 { return 1.5*c.Plain + 50 }

// replayCosts returns the costs of confirmed replays by subject, with the median of these, and
// those of the others by subject and test.
func replayCosts(timings []timing) (costs, unconfirmed []replayCost) {
	groups := make(map[timing][]timing)
	var keys []timing // in the order of their first timings
	for _, t := range timings {
		key := timing{Subject: t.Subject, Confirmed: t.Confirmed}
		if !t.Confirmed {
			key.Tests = t.Tests
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], t)
	}
	for _, key := range keys {
		group := groups[key]
		c := replayCost{key.Subject, key.Tests, group[0].Reason, len(group),
			medianOf(group, func(t timing) float64 { return ms(t.Plain) }),
			medianOf(group, func(t timing) float64 { return ms(t.Replay) }),
			medianOf(group, func(t timing) float64 { return ms(t.CPU) })}
		if key.Confirmed {
			costs = append(costs, c)
		} else {
			unconfirmed = append(unconfirmed, c)
		}
	}
	if len(costs) > 0 {
		costs = append(costs, replayCost{Name: "median", Replays: len(costs),
			Plain:     medianOf(costs, func(c replayCost) float64 { return c.Plain }),
			Replay:    medianOf(costs, func(c replayCost) float64 { return c.Replay }),
			Processor: medianOf(costs, func(c replayCost) float64 { return c.Processor })})
	}
	return costs, unconfirmed
}

func medianOf[E any, T cmp.Ordered](all []E, of func(E) T) T {
	var values []T
	for _, e := range all {
		values = append(values, of(e))
	}
	return median(values)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
