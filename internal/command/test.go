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
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/untrusted"
	"github.com/gopredict/gopredict/recorder"
)

// This file is the subcommand test: go test, and then the bugs that its tests did not show.
//
//	command line ── recorder.Prepare ── go test, recorded ── explore ── report ── exit code
//
// Go test itself runs the tests, with this command as -exec (shimCommand) to record them. So its
// flags, its cache of packages and its output stay what they are.

// runExplore is test that explores until it has seen all that the tests can do, unless a flag bounds it.
// It answers whether a test can fail at all.
func (s *session) runExplore(ctx context.Context, args []string) (int, error) {
	return s.runTest(ctx, append([]string{"-" + prefix + "explore=all"}, args...))
}

// A testRun is one run of the subcommand test.
type testRun struct {
	*session
	options options
	args    gotool.TestArgs
	env     gotool.Env
	start   time.Time // the start of the run
}

// runTest is the run from start to exit code: record, predict, confirm, report.
func (s *session) runTest(ctx context.Context, args []string) (int, error) {
	start := time.Now()
	explore.LimitHeapGrowth()
	opts, args, err := parseOptions(s.env, args)
	if err != nil {
		return exitUsage, err
	}
	goArgs, err := s.parseTest(args)
	if err != nil {
		return exitUsage, err
	}
	// Files are relative to -outputdir, as those of go test are.
	if out, ok := goArgs.Lookup("outputdir"); ok {
		for format, name := range opts.reportFiles {
			if !filepath.IsAbs(name) {
				opts.reportFiles[format] = filepath.Join(out, name)
			}
		}
	}
	t := &testRun{session: s, options: opts, args: goArgs, start: start}
	if opts.runBudget <= 0 {
		return t.run(ctx)
	}
	limit, cancel := context.WithTimeoutCause(ctx, opts.runBudget, &budgetError{opts.runBudget})
	defer cancel()
	code, err := t.run(limit)
	if over := context.Cause(limit); err != nil && ctx.Err() == nil && over != nil {
		err = over // a room that has no time left may return any error
	}
	return code, err
}

// parseTest parses the arguments of go test. All later commands run in the folder of its -C.
func (s *session) parseTest(args []string) (gotool.TestArgs, error) {
	goArgs, err := gotool.ParseTest(args)
	if err != nil {
		return goArgs, usagef("%v", err)
	}
	if goArgs.ChangeDir != "" {
		s.dir = s.absolutePath(goArgs.ChangeDir)
		goArgs.ChangeDir = ""
	}
	return goArgs, nil
}

// A budgetError is the error of a run that ended early because its time was over.
type budgetError struct{ budget time.Duration }

func (e *budgetError) Error() string {
	return fmt.Sprintf("the time for the run, -%sbudget=%v, was over", prefix, e.budget)
}

// run is the run within its budget.
func (t *testRun) run(ctx context.Context) (code int, err error) {
	if t.env, err = gotool.ReadEnv(ctx, t.dir); err != nil {
		return exitFailed, err
	}
	gate, err := t.readKnownBugs(ctx)
	if err != nil {
		return exitFailed, err
	}
	if t.options.shard != nil {
		if t.args.Packages, err = t.packagesOfShard(ctx); err != nil {
			return exitFailed, err
		}
		if len(t.args.Packages) == 0 { // go test would take the package of this folder
			t.warnf("shard %v has no packages", t.options.shard)
			return exitOK, t.writeFiles(t.options.reportFiles, "-"+prefix, &report.Report{Version: ownVersion(), Go: t.env.GOVERSION, Shard: t.options.shard})
		}
	}
	work, cleanup, err := makeWorkFolder(t.options.keepFolder)
	if err != nil {
		return exitFailed, err
	}
	defer cleanup()
	conf, err := t.newRecorderConfig(work)
	if err != nil {
		return exitFailed, err
	}
	// For benchmarks, fuzzing, -list and the like go test runs as ever. The warning keeps users from
	// taking that for a clean run.
	if why := conf.UnrecordableFlag(); why != "" {
		code, err := recorder.RunPlain(ctx, conf)
		if err == nil {
			t.warnf("with %s nothing is recorded and predicted", why)
		}
		return code, err
	}
	return t.recordAndPredict(ctx, conf, gate)
}

// newRecorderConfig returns the configuration of the recorder. All phases of the run share the folder work,
// which has the instrumented sources, binaries, traces and files of replays.
func (t *testRun) newRecorderConfig(work string) (*recorder.Config, error) {
	shim, err := hiddenCommandLine(shimCommand)
	if err != nil {
		return nil, err
	}
	tool, err := hiddenCommandLine(toolCommand)
	return &recorder.Config{
		Dir: t.dir, Args: t.args, Env: t.env, Work: work, ShimCommand: shim, ToolCommand: tool, InstrumentPatterns: t.options.pkgs, AtomicMethods: t.options.atomicMethods,
		Stdin: t.stdin, Stdout: t.stdout, Stderr: t.stderr,
	}, err
}

// recordAndPredict runs the tests, explores and predicts from their traces, and writes the report.
func (t *testRun) recordAndPredict(ctx context.Context, conf *recorder.Config, gate knownBugs) (int, error) {
	// Files get the output of failed packages, too. But on a terminal the tests must write to it
	// directly.
	var printed report.FailedOutput
	if len(t.options.reportFiles) > 0 && !t.args.IsSet("json") && !term.IsTerminal(int(t.stdout.Fd())) {
		conf.Stdout = io.MultiWriter(t.stdout, &printed)
	}
	status := report.NewStatus(t.stderr)
	defer status.Close()
	conf.OnPhase = func(what string) { status.Set(what, "") }
	build, err := recorder.Prepare(ctx, conf)
	if err == nil {
		t.options.properties, err = compileWithBuiltin(build.Properties)
	}
	if err != nil {
		return exitFailed, err
	}
	// The terminal is go test's now. A package that does not build and a test that fails are no errors
	// here, but set the exit code. What has run is analyzed all the same.
	status.Clear()
	runs, testExit, cut := build.Test(ctx)
	through, tested := cut == nil, time.Since(t.start)
	if cut != nil && ctx.Err() == nil {
		return exitFailed, cut
	}

	// All packages' tests have run by now, concurrently, as go test runs them. They are only analyzed
	// now, since replays take all processors and would make tests time out.
	x := t.newExploration(conf, build, status)
	x.Report.TestedS = tested.Seconds()
	if failed := x.Explore(ctx, runs); cut == nil {
		cut = failed
	}
	if ctx.Err() != nil {
		cut = context.Cause(ctx)
	}
	if cut != nil {
		x.Interrupt(cut)
	}
	status.Close()
	x.Report.DurationS = time.Since(t.start).Seconds()
	printed.AddTo(&x.Report)
	x.Report.Finish()
	// A run that ended early still reports what it found.
	unwritten := t.suppress(gate, &x.Report, build)
	code, err := t.writeReport(x, testExit)
	if err == nil && unwritten != nil {
		code, err = exitFailed, unwritten
	}
	// If the tests have run, the end of the budget fails the run only if asked for.
	_, over := errors.AsType[*budgetError](cut)
	if cut == nil || through && over {
		return code, err
	}
	if err != nil {
		t.warnf("%v", err)
	}
	return exitFailed, cut
}

// newExploration returns the exploration of a build's runs. Its report has the warnings about the build.
func (t *testRun) newExploration(conf *recorder.Config, build *recorder.Build, status *report.Status) *explore.Exploration {
	far := t.options.explorationOptions()
	far.ReplayTimeout = t.options.replayTimeout
	if conf.Args.IsSet("artifacts") {
		out, _ := conf.Args.Lookup("outputdir")
		far.ArtifactFolder = filepath.Join(t.absolutePath(out), "_artifacts")
	}
	say := func(line string) {
		status.Clear()
		fmt.Fprintln(t.reportOutput(), untrusted.Line(line))
	}
	if conf.Args.IsSet("v") {
		far.OnNewBehaviour, far.OnConfirmedBug = say, say
	}
	if status.IsShown() { // somebody is watching
		far.OnConfirmedBug = say
	}
	far.MaxConcurrentPackages = conf.PackageParallelism() // as go test ran them: packages may share resources
	x := explore.New(build, t.env, conf.Work, status, far)
	x.Report.Version, x.Report.Shard = ownVersion(), t.options.shard
	if system := conf.UntestedSystem(); system != "" {
		x.Report.Warnings = append(x.Report.Warnings, untriedText(system))
	}
	for _, pattern := range build.UnmatchedPatterns() {
		x.Report.Warnings = append(x.Report.Warnings, fmt.Sprintf("-%spkgs: no package of this build matches %s", prefix, pattern))
	}
	return x
}

// writeReport prints and writes the report, and returns the exit code. The code of a bug wins over that of
// go test, and that of a failed test over that of a package that could not be analyzed. The
// report is printed first, so that an error in writing a file hides nothing.
func (t *testRun) writeReport(x *explore.Exploration, testExit int) (int, error) {
	r, out, code := &x.Report, t.reportOutput(), testExit
	for i := range r.Findings {
		if f := &r.Findings[i]; t.options.failsRun(f) {
			f.FailsRun, code = true, exitBug
		}
	}
	if testExit != exitUsage { // else go test has said all there is to say
		write, to, text := report.WriteText, out, textOptions(out, t.env)
		if t.args.IsSet("json") && len(r.Packages) > 0 {
			write, to, text = report.WriteTestEvents, t.stdout, report.TextOptions{Command: ownName(t.env)}
		}
		if v, _ := t.args.Lookup("v"); v == "test2json" { // package gotestplugin, under go test -json
			write = report.WriteTestBinaryOutput
		}
		text.Verbose = t.args.IsSet("v")
		if err := write(to, t.withWitnessesFromShell(*r, t.env.Root()), text); err != nil {
			return exitFailed, err
		}
	}
	if t.options.forGitHub {
		if err := t.writeGitHub(out, r, t.env.Root()); err != nil {
			return exitFailed, err
		}
	}
	if err := t.writeFiles(t.options.reportFiles, "-"+prefix, r); err != nil {
		return exitFailed, err
	}
	if len(r.Incomplete) > 0 && slices.Contains(t.options.failOn, "incomplete") && code == exitOK {
		code = exitIncomplete
	}
	// If a package could not be analyzed, passed tests are no success.
	if code == 0 && x.AnalysisFailed {
		return exitFailed, nil
	}
	return code, nil
}

// reportOutput returns where the report is printed.
func (t *testRun) reportOutput() *os.File {
	if t.args.IsSet("json") { // standard output is a stream of JSON
		return t.stderr
	}
	return t.stdout
}

// withWitnessesFromShell returns the report with witnesses relative to the user's shell, so that the
// printed commands can be pasted there.
func (s *session) withWitnessesFromShell(r report.Report, root string) *report.Report {
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		if f.Witness != "" {
			file := f.Witness
			if !filepath.IsAbs(file) {
				file = filepath.Join(root, file)
			}
			r.Findings[i].Witness = s.relativeToShell(file)
		}
	}
	return &r
}

// textOptions returns how to print on f. A terminal gets colors, unless the environment forbids them,
// in its own width. Anything else gets plain text that is the same everywhere.
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

// ownName returns what the user has to type for this command. If it is not in PATH, it may be a tool
// of the module, which is in the build cache, or a binary that go run removes afterwards, or one
// that gotestplugin has built.
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
