package run

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Way is one of the ways to run a test that are compared.
type Way int

const (
	Plain    Way = iota
	Race         // under -race
	Recorded     // instrumented, with a trace
	Ways
)

func (w Way) String() string { return [...]string{"plain", "-race", "recording"}[w] }

// Tests are those of one package, built in some ways.
type Tests struct {
	job      *Job
	dir      string // of the package, absolute
	work     string // for the binaries and the trace
	Build    *recorder.Build
	Binaries [Ways]string
	Limit    int      // of the trace, in bytes; see [recorder.RecordingVariable]
	Env      []string // of the processes that run them
}

// Instrument prepares the instrumented build of the package in dir, or as config says more.
func (j *Job) Instrument(dir string, config recorder.Config) *recorder.Build {
	config.Dir, config.Stdout = Must(filepath.Abs(dir)), io.Discard
	config.Env = Must(gotool.ReadEnv(j.ctx, config.Dir))
	if config.Work == "" {
		config.Work = Must(os.MkdirTemp(j.Dir, "instrumented-"))
	}
	if config.Stderr == nil {
		config.Stderr = os.Stderr
	}
	return Must(recorder.Prepare(j.ctx, &config))
}

// BuildTests builds the tests of the package in dir, instrumented as config says, and in the
// other ways that are named.
func (j *Job) BuildTests(dir string, config recorder.Config, others ...Way) *Tests {
	dir = Must(filepath.Abs(dir))
	t := &Tests{job: j, dir: dir, work: Must(os.MkdirTemp(j.Dir, "tests-")), Limit: trace.MaxLoggedBytes}
	for _, w := range others {
		t.Binaries[w] = filepath.Join(t.work, w.String()+".test")
		args := []string{"test", "-vet=off", "-c", "-o", t.Binaries[w]}
		if w == Race {
			args = append(args, "-race")
		}
		j.Go(dir, args...)
	}
	t.Build = j.Instrument(dir, config)
	t.Binaries[Recorded] = Must(t.Build.TestBinary(j.ctx))
	return t
}

// trace is the file of the trace that was recorded last.
func (t *Tests) trace() string { return filepath.Join(t.work, "trace") }

// Run runs the tests that a pattern selects. The time is that of the whole process, until its
// trace is in the file.
func (t *Tests) Run(w Way, pattern string, args ...string) Process {
	c := Command{Dir: t.dir, Watch: true, Env: t.Env, Args: append([]string{t.Binaries[w], "-test.run=" + pattern}, args...)}
	switch w {
	case Race: // it would sleep for a second before it exits
		c.Env = append(c.Env, "GORACE=atexit_sleep_ms=0")
	case Recorded:
		c.Env = append(c.Env, recorder.RecordingVariable(t.trace(), t.Limit))
	}
	return t.job.Run(c)
}

// Trace reads the trace that was recorded last, and its size in bytes.
func (t *Tests) Trace() (tr *trace.Trace, size int64) {
	size = Must(os.Stat(t.trace())).Size()
	tr = Must(trace.ReadFile(t.trace()))
	tr.AddSites(t.Build.Sites)
	return tr, size
}

// Record runs tests, which have to pass, and returns their trace.
func (t *Tests) Record(pattern string) *trace.Trace {
	if p := t.Run(Recorded, pattern); p.Code != 0 {
		Fail("%s: %s\n%s", pattern, p.State, p.Output)
	}
	tr, _ := t.Trace()
	return tr
}

// Least runs something in each way, again and again for some rounds or as long as there is time
// for them, and returns the least of each: what else happens on the machine only ever adds to it.
// The ways take turns, so that what else happens meets all of them alike.
func Least(rounds int, limit time.Duration, measure func(Way) Cost) (costs [Ways]Cost) {
	start := time.Now()
	for round := 0; round < rounds && (round == 0 || time.Since(start) < limit); round++ {
		for w := range Ways {
			c := measure(w)
			if round > 0 {
				c.Seconds, c.Memory = min(c.Seconds, costs[w].Seconds), max(c.Memory, costs[w].Memory)
			}
			costs[w] = c
		}
	}
	return costs
}

// A Cost is what one way took.
type Cost struct {
	Seconds float64
	Memory  float64 // peak resident memory of a process in MiB
	Trace   float64 // size of the traces in MiB
	Cut     bool    // a trace does not hold the whole run: it would have become too large
}

// And is the cost of one run after another.
func (c Cost) And(d Cost) Cost {
	return Cost{c.Seconds + d.Seconds, max(c.Memory, d.Memory), c.Trace + d.Trace, c.Cut || d.Cut}
}

// ReadTrace reads a trace.
func ReadTrace(file string) *trace.Trace { return Must(trace.ReadFile(file)) }

// RecordedTraces returns the files of the recorded runs' traces, which -predict.keep has kept.
func RecordedTraces(keep string) []string {
	files := Must(filepath.Glob(filepath.Join(keep, "*", "runs", "*", "*.test.trace")))
	if len(files) == 0 {
		Fail("no trace below %s", keep)
	}
	return files
}

// Place is a file and line, as findings are compared by.
func Place(file string, line int) string { return filepath.Base(file) + ":" + strconv.Itoa(line) }
