package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/measure/extent"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A source is a module whose tests are measured.
type source struct {
	name   string
	folder string   // below testdata/papers; "": a module of others, by its name
	pkgs   string   // -predict.pkgs, "" for the module's own
	tests  []string // patterns of tests that have a row each; nil: one row for the module
	also   string   // a folder beside the module's whose lines count, too
	timed  bool     // what recording costs is measured
}

var sources = []source{
	{name: "banking", folder: "sliced", tests: []string{"./banking TestTellers"}, timed: true},
	{name: "httpserver", folder: "sliced", tests: []string{"./httpserver TestClients"}, timed: true},
	{name: "daisy", folder: "sliced", tests: []string{"./daisy TestDaisy"}, timed: true},
	{name: "daisy2", folder: "sliced", tests: []string{"./daisy TestDaisy2"}, timed: true},
	{name: "raytracer", folder: "sliced", pkgs: "work,example.com/papers/raytracer", tests: []string{"./raytracer TestRender"}, also: "programs/raytracer", timed: true},
	{name: "github.com/go-chi/chi/v5@v5.2.3", timed: true},

	{name: "the papers' programs", folder: "programs", tests: programs},

	{name: "golang.org/x/sync@v0.17.0"},
	{name: "github.com/hashicorp/golang-lru/v2@v2.0.7"},
	{name: "github.com/sourcegraph/conc@v0.3.0"},
	{name: "github.com/gammazero/workerpool@v1.1.3"},
	{name: "github.com/patrickmn/go-cache@v2.1.0+incompatible"},
}

// programs are those of testdata/papers/programs.
var programs = func() (all []string) {
	for _, name := range []string{
		"account", "barrierbench", "buggyprogram", "cache4j", "collections", "connectionpool", "critical", "elevator", "example",
		"hedc", "jigsaw", "loader", "manager", "mergesort", "moldyn", "montecarlo", "openjms", "philosophers", "shop",
		"specjbb", "stringbuffer", "syncbench", "tsp", "weblech",
	} {
		all = append(all, "./"+name+" .")
	}
	return all
}()

// measure returns the rows of a source.
func (s source) measure(ctx context.Context, tool, work string) (rows []row, err error) {
	dir, err := os.MkdirTemp(work, "source-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	module := filepath.Join(dir, "module")
	if s.folder == "" {
		if _, err := script.Download(ctx, s.name, module); err != nil {
			return nil, err
		}
	} else {
		for _, folder := range []string{"programs", "sliced"} { // one uses the other
			if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("testdata", "papers", folder))); err != nil {
				return nil, err
			}
		}
		module = filepath.Join(dir, s.folder)
	}
	tests := s.tests
	if tests == nil {
		tests = []string{"./... ."}
	}
	for k, test := range tests {
		pattern, run, _ := strings.Cut(test, " ")
		if run != "." {
			run = "^" + run + "$"
		}
		r, err := s.row(ctx, tool, module, filepath.Join(dir, fmt.Sprint("keep", k)), pattern, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", test, err)
		}
		r.Name = s.name
		if len(tests) > 1 {
			r.Name = strings.TrimPrefix(pattern, "./")
		}
		if s.timed {
			if err := s.time(ctx, r, module, dir, pattern, run); err != nil {
				return nil, err
			}
		}
		rows = append(rows, *r)
	}
	return rows, nil
}

// row records tests once, and measures what is predicted of their traces, and confirmed.
func (s source) row(ctx context.Context, tool, module, keep, pattern, run string) (*row, error) {
	var rep report.Report
	args := []string{"-run=" + run, "-predict.kinds=race", "-predict.runs=1", "-predict.explore=off", "-predict.keep=" + keep}
	if s.pkgs != "" {
		args = append(args, "-predict.pkgs="+s.pkgs)
	}
	if err := os.Mkdir(keep, 0o777); err != nil {
		return nil, err
	}
	state, out, err := script.Predict(ctx, tool, module, &rep, append(args, pattern)...)
	if err != nil {
		return nil, err
	}
	if code := state.ExitCode(); code != 0 && code != 1 {
		return nil, fmt.Errorf("gopredict: %v\n%s", state, out)
	}
	r := new(row)
	confirmed := make(map[string]bool)
	for _, f := range rep.Findings {
		if f.Kind == bug.Race && f.Status == bug.Confirmed {
			confirmed[pairOf(place(f.Accesses[0].File, f.Accesses[0].Line), place(f.Accesses[1].File, f.Accesses[1].Line))] = true
		}
	}
	r.Confirmed = len(confirmed)
	files, err := filepath.Glob(filepath.Join(keep, "*", "runs", "*", "*.test.trace"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no trace below %s\n%s", keep, out)
	}
	for _, file := range files {
		if err := r.read(ctx, file, confirmed); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(module, strings.TrimSuffix(pattern, "..."))
	if r.Lines, err = lines(folder); err != nil {
		return nil, err
	}
	if s.also != "" {
		more, err := lines(filepath.Join(filepath.Dir(module), s.also))
		if err != nil {
			return nil, err
		}
		r.Lines += more
	}
	return r, os.RemoveAll(filepath.Join(folder, "testdata", "predict"))
}

// lines counts those of the Go files below a folder, without tests.
func lines(folder string) (n int, err error) {
	err = filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		n += bytes.Count(text, []byte("\n"))
		return err
	})
	return n, err
}

// time measures the processor time that tests take, plainly, under -race and recorded.
func (s source) time(ctx context.Context, r *row, module, work, pattern, run string) error {
	list, err := gotool.Output(ctx, module, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", pattern)
	if err != nil {
		return err
	}
	for k, dir := range strings.Fields(string(list)) {
		own := filepath.Join(work, fmt.Sprint("times", k))
		if err := os.Mkdir(own, 0o777); err != nil {
			return err
		}
		var binaries [ways]string
		for w, flags := range [][]string{plain: nil, race: {"-race"}} {
			binaries[w] = filepath.Join(own, fmt.Sprintf("way%d.test", w))
			if _, err := gotool.Output(ctx, dir, slices.Concat([]string{"test", "-vet=off", "-c", "-o", binaries[w]}, flags)...); err != nil {
				return err
			}
		}
		env, err := gotool.ReadEnv(ctx, dir)
		if err != nil {
			return err
		}
		c := &recorder.Config{Dir: dir, Env: env, Work: own, Stdout: os.Stderr, Stderr: os.Stderr}
		if s.pkgs != "" {
			c.Instrument = strings.Split(s.pkgs, ",")
		}
		build, err := recorder.Prepare(ctx, c)
		if err != nil {
			return err
		}
		if binaries[recorded], err = build.TestBinary(ctx); err != nil {
			return err
		}
		for w, binary := range binaries {
			least := 0.0
			for round := range rounds {
				cmd := exec.CommandContext(ctx, binary, "-test.run="+run)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 exitcode=0")
				if way(w) == recorded {
					cmd.Env = append(cmd.Env, recorder.RecordInto(filepath.Join(own, "trace"), trace.MaxLogged))
				}
				if out, err := cmd.CombinedOutput(); err != nil && way(w) != race { // which may fail a test
					return fmt.Errorf("%s: %w\n%s", binary, err, out)
				}
				took := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				if round == 0 || took < least {
					least = took
				}
			}
			r.Seconds[w] += least
		}
	}
	return nil
}

// A way is one in which tests are run.
type way int

const (
	plain way = iota
	race
	recorded
	ways
)

// rounds is how often tests are run in each way: the least time counts.
const rounds = 5

// read adds what is predicted of a trace.
func (r *row) read(ctx context.Context, file string, confirmed map[string]bool) error {
	t, err := trace.ReadFile(file)
	if err != nil {
		return err
	}
	start := script.Processor()
	o, err := order.New(t)
	if err != nil {
		return err
	}
	r.Order += script.Processor() - start
	its := extent.Of(t, o)
	r.Goroutines += its.Goroutines
	r.Events += its.Events
	r.Shared += its.Shared
	return r.predict(ctx, t, o, confirmed)
}
