package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/given"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
)

// This file is the subcommand that users run: go test, and what its tests do not show.
//
//	command line ── recorder.Prepare ── go test, recorded ── explore ── report ── exit code
//
// Go test itself runs the tests, with the instrumented binaries and this very command as
// -exec (shimCommand), so that its flags, its cache of packages and its output stay what
// they are.

// explore is test until everything was seen that the tests can do, unless a flag says how
// far: it answers whether a test can fail at all.
func (s *session) explore(ctx context.Context, args []string) (int, error) {
	return s.test(ctx, append([]string{"-" + prefix + "explore=all"}, args...))
}

// test is the run from start to exit code: record, predict, confirm, report. Its phases
// share the folder work, where the instrumented sources, binaries, traces and files of
// replays are.
func (s *session) test(ctx context.Context, args []string) (int, error) {
	start := time.Now()
	explore.SpareMemory()
	opts, args, err := parseOptions(s.env, args)
	if err != nil {
		return exitUsage, err
	}
	goArgs, err := s.parseTest(args)
	if err != nil {
		return exitUsage, err
	}
	// As the files of go test itself.
	if out, ok := goArgs.Lookup("outputdir"); ok {
		for format, name := range opts.files {
			if !filepath.IsAbs(name) {
				opts.files[format] = filepath.Join(out, name)
			}
		}
	}
	if opts.budget <= 0 {
		return s.tested(ctx, start, opts, goArgs)
	}
	limit, cancel := context.WithTimeoutCause(ctx, opts.budget, &budgetError{opts.budget})
	defer cancel()
	code, err := s.tested(limit, start, opts, goArgs)
	if over := context.Cause(limit); err != nil && ctx.Err() == nil && over != nil {
		err = over // whatever a room says that had no time left
	}
	return code, err
}

// parseTest takes apart the arguments of a go test. All commands that are run from here on are run in the folder
// of its -C.
func (s *session) parseTest(args []string) (gotool.TestArgs, error) {
	goArgs, err := gotool.ParseTest(args)
	if err != nil {
		return goArgs, usagef("%v", err)
	}
	if goArgs.Dir != "" {
		s.dir = s.path(goArgs.Dir)
		goArgs.Dir = ""
	}
	return goArgs, nil
}

// A budgetError is why a run has ended early: its time was over.
type budgetError struct{ budget time.Duration }

func (e *budgetError) Error() string {
	return fmt.Sprintf("the time for the run, -%sbudget=%v, was over", prefix, e.budget)
}

// tested is test with its options; the time of the run is counted from start.
func (s *session) tested(ctx context.Context, start time.Time, opts options, goArgs gotool.TestArgs) (int, error) {
	env, err := gotool.ReadEnv(ctx, s.dir)
	if err != nil {
		return exitFailed, err
	}
	gate, err := s.gate(ctx, &opts, env.Root())
	if err != nil {
		return exitFailed, err
	}
	if opts.shard != nil {
		if goArgs.Packages, err = s.inShard(ctx, opts.shard, opts.timings, goArgs); err != nil {
			return exitFailed, err
		}
		if len(goArgs.Packages) == 0 { // for go test, that is the package of this folder
			s.complain("shard %v has no packages", opts.shard)
			return exitOK, s.writeFiles(opts.files, "-"+prefix, &report.Report{Version: ownVersion(), Go: env.GOVERSION, Shard: opts.shard})
		}
	}
	work, cleanup, err := makeWork(opts.keep)
	if err != nil {
		return exitFailed, err
	}
	defer cleanup()
	shim, err := hidden(shimCommand)
	if err != nil {
		return exitFailed, err
	}
	tool, err := hidden(toolCommand)
	if err != nil {
		return exitFailed, err
	}

	conf := &recorder.Config{
		Dir: s.dir, Args: goArgs, Env: env, Work: work, Shim: shim, Tool: tool, Instrument: opts.pkgs, AtomicMethods: opts.methods,
		Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr,
	}
	// Benchmarks, fuzzing, -list and the like: go test does what it always does. That nothing
	// was looked for is said, so that nobody takes it for a clean run.
	if why := conf.NotRecorded(); why != "" {
		code, err := recorder.Plain(ctx, conf)
		if err == nil {
			s.complain("with %s nothing is recorded and predicted", why)
		}
		return code, err
	}

	// Files have what the tests print, too. A terminal stays theirs, whatever files there are.
	var printed report.Printed
	if len(opts.files) > 0 && !goArgs.IsSet("json") && !term.IsTerminal(int(s.stdout.Fd())) {
		conf.Stdout = io.MultiWriter(s.stdout, &printed)
	}

	status := report.NewStatus(s.stderr)
	defer status.Close()
	conf.Phase = func(what string) { status.Set(what, "") }
	build, err := recorder.Prepare(ctx, conf)
	if err == nil {
		opts.properties, err = allProperties(build.Properties)
	}
	if err != nil {
		return exitFailed, err
	}
	// The terminal is go test's now. A package that does not build, or a test that fails, is
	// no error here but the exit code; what has run is predicted from all the same.
	status.Clear()
	runs, testExit, cut := build.Test(ctx)
	through, tested := cut == nil, time.Since(start)
	if cut != nil && ctx.Err() == nil {
		return exitFailed, cut
	}

	// All packages' tests have run by now, beside each other as go test runs them. Only
	// then they are analyzed: replays take all processors, and would make tests time out.
	x := s.exploration(conf, build, env, status, opts)
	x.Report.TestedS = tested.Seconds()
	if failed := x.Explore(ctx, runs); cut == nil {
		cut = failed
	}
	if ctx.Err() != nil {
		cut = context.Cause(ctx)
	}
	if cut != nil {
		x.Cut(cut)
	}
	status.Close()
	x.Report.DurationS = time.Since(start).Seconds()
	printed.AddTo(&x.Report)
	x.Report.Finish()
	// What has ended the run early does not take away what it has found.
	var folders []string
	for _, pkg := range build.Tested {
		folders = append(folders, pkg.Dir)
	}
	unwritten := s.suppress(gate, &x.Report, env, folders, goArgs)
	code, err := s.tell(x, opts, env, goArgs, testExit)
	if err == nil && unwritten != nil {
		code, err = exitFailed, unwritten
	}
	// The tests were run; that there was no time for more fails the run only if asked for.
	_, over := errors.AsType[*budgetError](cut)
	if cut == nil || through && over {
		return code, err
	}
	if err != nil {
		s.complain("%v", err)
	}
	return exitFailed, cut
}

// exploration returns what looks into the runs of a build, with what is to be said of that beforehand.
func (s *session) exploration(conf *recorder.Config, build *recorder.Build, env gotool.Env, status *report.Status, opts options) *explore.Exploration {
	far := opts.explore()
	if conf.Args.IsSet("artifacts") {
		out, _ := conf.Args.Lookup("outputdir")
		far.Artifacts = filepath.Join(s.path(out), "_artifacts")
	}
	say := func(line string) {
		status.Clear()
		fmt.Fprintln(s.reportTo(conf.Args), given.Line(line))
	}
	if conf.Args.IsSet("v") {
		far.Tell, far.Note = say, say
	}
	if status.Shown() { // somebody waits
		far.Note = say
	}
	far.Beside = conf.Beside() // as the tests were run: they may share what there is once
	x := explore.New(build, env, conf.Work, status, far)
	x.Report.Version, x.Report.Shard = ownVersion(), opts.shard
	if system := conf.Untried(); system != "" {
		x.Report.Warnings = append(x.Report.Warnings, untried(system))
	}
	for _, pattern := range build.Unmatched() {
		x.Report.Warnings = append(x.Report.Warnings, fmt.Sprintf("-%spkgs: no package of this build matches %s", prefix, pattern))
	}
	return x
}

// tell prints the report and returns the exit code: that of a bug wins over that of go
// test, and a failed test over a package that could not be analyzed. The report is printed
// before its files are written, so that a file that cannot be written hides nothing.
func (s *session) tell(x *explore.Exploration, opts options, env gotool.Env, args gotool.TestArgs, testExit int) (int, error) {
	out := s.reportTo(args)
	code := testExit
	for i := range x.Report.Findings {
		if f := &x.Report.Findings[i]; opts.fails(f) {
			f.Fails, code = true, exitBug
		}
	}
	if testExit != exitUsage { // else go test has said all there is to say
		write, to, text := report.WriteText, out, textOptions(out, env)
		if args.IsSet("json") && len(x.Report.Packages) > 0 {
			write, to, text = report.WriteTestEvents, s.stdout, report.TextOptions{Command: ownName(env)}
		}
		if v, _ := args.Lookup("v"); v == "test2json" { // package gotestplugin, under go test -json
			write = report.WriteMarked
		}
		text.Verbose = args.IsSet("v")
		if err := write(to, s.fromHere(x.Report, env.Root()), text); err != nil {
			return exitFailed, err
		}
	}
	if opts.github {
		if err := s.tellGitHub(out, &x.Report, env.Root()); err != nil {
			return exitFailed, err
		}
	}
	if err := s.writeFiles(opts.files, "-"+prefix, &x.Report); err != nil {
		return exitFailed, err
	}
	if len(x.Report.Incomplete) > 0 && slices.Contains(opts.failOn, "incomplete") && code == exitOK {
		code = exitIncomplete
	}
	// The tests passed, but of a package it is not known whether it has bugs: that is no
	// success.
	if code == 0 && x.Failed {
		return exitFailed, nil
	}
	return code, nil
}

// reportTo returns where the report is printed.
func (s *session) reportTo(args gotool.TestArgs) *os.File {
	if args.IsSet("json") { // standard output is a stream of JSON
		return s.stderr
	}
	return s.stdout
}

// fromHere returns the report as it is printed: the witnesses are named
// for their commands to be pasted into the user's shell.
func (s *session) fromHere(r report.Report, root string) *report.Report {
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		if f.Witness != "" {
			file := f.Witness
			if !filepath.IsAbs(file) {
				file = filepath.Join(root, file)
			}
			r.Findings[i].Witness = s.relative(file)
		}
	}
	return &r
}

// textOptions returns how to print on f: to a terminal with colors, unless the user's
// environment says otherwise, and as wide as that is; else as plain text that does not
// change with the place where it is made.
func textOptions(f *os.File, env gotool.Env) report.TextOptions {
	o := report.TextOptions{Command: ownName(env)}
	if !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.Screen = true
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
