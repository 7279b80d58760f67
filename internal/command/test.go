package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// allReplays is the time that the replays of a run may take together.
const allReplays = 10 * time.Minute

// test is the run from start to exit code: record, predict, confirm, report.
func (s *session) test(ctx context.Context, args []string) (int, error) {
	start := time.Now()
	opts, args, err := parseOptions(s.env, args)
	if err != nil {
		return exitUsage, err
	}
	goArgs, err := gotool.ParseTest(args)
	if err != nil {
		return exitUsage, usagef("%v", err)
	}
	if goArgs.Dir != "" {
		s.dir = s.path(goArgs.Dir)
		goArgs.Dir = ""
	}
	env, err := gotool.ReadEnv(ctx, s.dir)
	if err != nil {
		return exitFailed, err
	}
	work, cleanup, err := makeWork(opts.keep)
	if err != nil {
		return exitFailed, err
	}
	defer cleanup()
	shim, err := shim()
	if err != nil {
		return exitFailed, err
	}

	conf := &recorder.Config{
		Dir: s.dir, Args: goArgs, Env: env, Work: work, Shim: shim, Instrument: opts.pkgs, AtomicMethods: opts.methods,
		Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr,
	}
	if why := conf.NotRecorded(); why != "" {
		code, err := recorder.Plain(ctx, conf)
		if err == nil {
			fmt.Fprintf(s.stderr, "gopredict: with %s nothing is recorded and predicted\n", why)
		}
		return code, err
	}

	status := report.NewStatus(s.stderr)
	defer status.Close()
	conf.Phase = func(what string) { status.Set(what, "") }
	build, err := recorder.Prepare(ctx, conf)
	if err != nil {
		return exitFailed, err
	}
	status.Clear() // the terminal is go test's
	runs, testExit, err := build.Test(ctx)
	if err != nil {
		return exitFailed, err
	}

	procs, files, source := runtime.GOMAXPROCS(0), filesOf(env), new(witness.Sources)
	p := &prediction{
		opts: opts, build: build, env: env, root: env.Root(), files: files, work: work,
		status: status, source: source,
		code:   replayer.Code{Sites: replayer.ByFunc(build.Sites), Files: files, Source: source},
		report: report.Report{Go: env.GOVERSION},
		done:   make(map[string]bool),
		left:   cmp.Or(opts.timeout, allReplays), workers: procs + (procs+1)/2, slots: replayer.NewSlots(procs),
	}
	for _, pattern := range build.Unmatched() {
		p.warn("-%spkgs: no package of this build matches %s", prefix, pattern)
	}
	for _, run := range runs {
		if err := p.add(ctx, run); err != nil {
			return exitFailed, err
		}
	}
	status.Close()
	p.report.DurationS = time.Since(start).Seconds()
	p.finish()
	return s.tell(p, goArgs, testExit)
}

// tell prints the report and returns the exit code.
func (s *session) tell(p *prediction, args gotool.TestArgs, testExit int) (int, error) {
	out := s.stdout
	if args.IsSet("json") { // standard output is a stream of JSON
		out = s.stderr
	}
	if testExit != exitUsage { // else go test has said all there is to say
		text := textOptions(out, p.env)
		text.Verbose = args.IsSet("v")
		if err := report.WriteText(out, s.fromHere(p), text); err != nil {
			return exitFailed, err
		}
	}
	if p.opts.json != "" {
		if err := s.writeJSON(p.opts.json, &p.report); err != nil {
			return exitFailed, err
		}
	}
	for i := range p.report.Findings {
		if p.opts.fails(&p.report.Findings[i]) {
			return exitBug, nil
		}
	}
	if testExit == 0 && p.failed {
		return exitFailed, nil
	}
	return testExit, nil
}

// fromHere returns the report as it is printed: the witnesses are named
// for their commands to be pasted into the user's shell.
func (s *session) fromHere(p *prediction) *report.Report {
	r := p.report
	r.Findings = append([]report.Finding(nil), r.Findings...)
	for i, f := range r.Findings {
		if f.Witness != "" {
			r.Findings[i].Witness = s.relative(filepath.Join(p.root, f.Witness))
		}
	}
	return &r
}

func (s *session) writeJSON(name string, r *report.Report) error {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("-%sjson: %w", prefix, err)
	}
	if err := report.WriteJSON(f, r); err != nil {
		f.Close()
		return fmt.Errorf("-%sjson: %w", prefix, err)
	}
	return f.Close()
}

// textOptions returns how to print on f.
func textOptions(f *os.File, env gotool.Env) report.TextOptions {
	o := report.TextOptions{Command: ownName(env)}
	if !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	return o
}

// ownName returns what the user has to type for this command, if it is not in
// PATH: the go command runs a module's tool from its build cache, and go run
// runs what it removes afterwards; gotestplugin may have built it elsewhere.
func ownName(env gotool.Env) string {
	const name = "gopredict"
	if _, err := exec.LookPath(name); err == nil {
		return name
	}
	self, err := os.Executable()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(env.GOCACHE, self); err == nil && filepath.IsLocal(rel) {
		return "go tool " + name
	}
	if info, ok := debug.ReadBuildInfo(); ok && filepath.Base(filepath.Dir(self)) == "exe" {
		return "go run " + info.Path
	}
	return self
}
