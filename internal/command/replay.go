package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file answers whether a bug is still there, for users after a change and for scripts that
// bisect. A witness is replayed in the current sources. If the program no longer follows the
// schedule, its bug is searched anew before it is called fixed: a false "fixed" is as bad as a false
// alarm.
//
//	the replay reaches the bug           there: 1
//	the test fails without a schedule    cannot tell: 2
//	the program leaves the schedule, or
//	the sources have not all its places  record and predict again (explore.Recheck):
//	    another schedule reaches it      there: 1
//	    no order of the places is open   fixed: 0
//	    else                             cannot tell: 2
//
// For git bisect run, 1 is bad and 0 is good. 2 would be bad as well: a script has to turn it into
// 125, skip.

// runReplay replays witnesses, one after the other, and says of each whether its bug is there. The exit
// code is exitBug if one is, else exitNoAnswer if one is not known.
func (s *session) runReplay(ctx context.Context, args []string) (int, error) {
	a, err := s.parseReplay(args)
	if err != nil {
		return exitUsage, err
	}
	work, cleanup, err := makeWorkFolder(a.options.keepFolder)
	if err != nil {
		return exitFailed, err
	}
	defer cleanup()
	status := report.NewStatus(s.stderr)
	defer status.Close()
	r := &replayRun{session: s, arguments: a, workFolder: work, status: status, builtByKey: make(map[string]*builtTests)}
	worst, start := exitOK, time.Now()
	for _, path := range a.witnessFiles {
		var code int
		if code, err = r.replayOne(ctx, path); err != nil {
			r.report.Incomplete = []string{err.Error()}
			break
		}
		if code == exitBug || worst != exitBug && code > worst {
			worst = code
		}
	}
	// The answers so far are written even if a witness failed.
	r.report.Version, r.report.DurationS = ownVersion(), time.Since(start).Seconds()
	r.report.Finish()
	if unwritten := s.writeFiles(a.options.reportFiles, "-"+prefix, &r.report); err == nil {
		err = unwritten
	}
	if err != nil {
		return exitFailed, err
	}
	return worst, nil
}

// A replayRun is one run of the subcommand replay.
type replayRun struct {
	*session
	arguments  replayArgs
	workFolder string         // folder for its files
	status     *report.Status // what the user sees meanwhile; cleared before an answer is printed
	builtByKey map[string]*builtTests
	report     report.Report // of the answers

	// The following are of the witness that is being replayed.
	witnessFile string
	witness     *witness.Witness
	*builtTests
	binaryForWitness replayer.Binary // with the arguments that the witness has
}

// builtTests are the tests of one package in the current sources, as some of its witnesses need them.
type builtTests struct {
	module gotool.Env
	build  *recorder.Build
	binary replayer.Binary
	err    error // errNoTests, or nil
}

// replayOne replays the witness in a file and says whether its bug is there.
func (r *replayRun) replayOne(ctx context.Context, path string) (int, error) {
	w, err := witness.Load(path)
	if err != nil {
		return exitFailed, err
	}
	r.witnessFile, r.witness = path, w
	if err := r.prepare(ctx); errors.Is(err, errNoTests) {
		return r.answerCannotTell(": cannot tell whether it is fixed: %v", err), nil
	} else if err != nil {
		return exitFailed, err
	}
	return r.answer(ctx)
}

// prepare builds the tests of the witness, unless another witness had them built.
func (r *replayRun) prepare(ctx context.Context) error {
	dir, err := r.packageDir(ctx)
	if err != nil {
		return err
	}
	instrument, methods := explore.PatternsToInstrument(r.arguments.options.pkgs, r.witness), r.arguments.options.atomicMethods || r.witness.AtomicMethods
	key := fmt.Sprintf("%q %q %v", dir, instrument, methods)
	if r.builtByKey[key] == nil {
		work := filepath.Join(r.workFolder, fmt.Sprintf("build-%d", len(r.builtByKey)+1))
		if err := os.Mkdir(work, 0o777); err != nil {
			return err
		}
		module, err := gotool.ReadEnv(ctx, dir)
		if err != nil {
			return err
		}
		tool, err := hiddenCommandLine(toolCommand)
		if err != nil {
			return err
		}
		t := &builtTests{module: module}
		conf := &recorder.Config{
			Dir: dir, Args: r.arguments.buildArgs, Env: module, Work: work, ToolCommand: tool,
			InstrumentPatterns: instrument, AtomicMethods: methods,
			DebugInfo: r.arguments.holdTime > 0,
			OnPhase:   func(what string) { r.status.Set(what, "") },
		}
		if system := conf.UntestedSystem(); system != "" {
			r.warnf("%s", untriedText(system))
		}
		t.build, t.binary, err = r.buildFor(ctx, conf)
		if err != nil && !errors.Is(err, errNoTests) {
			return err
		}
		t.err = err
		r.builtByKey[key] = t
	}
	if t := r.builtByKey[key]; t.err == nil {
		var err error
		if r.arguments.options.properties, err = compileWithBuiltin(t.build.Properties); err != nil {
			return err
		}
	}
	if r.builtTests = r.builtByKey[key]; r.builtTests.err != nil {
		return r.builtTests.err
	}
	// A witness that was moved with its package names functions by the old path. An error is better
	// than the answer that it is stale.
	if got := r.build.Tested[0].Path; got != r.witness.Package {
		return fmt.Errorf("%s: the witness is of package %s, the folder above it holds %s", r.witnessFile, r.witness.Package, got)
	}
	r.binaryForWitness = r.binary
	r.binaryForWitness.Args = replayer.ArgsToReplay(r.witness, r.arguments.binaryArgs)
	return nil
}

// answer replays the witness, prints the answer, and returns the exit code.
func (r *replayRun) answer(ctx context.Context) (int, error) {
	folder, err := os.MkdirTemp(r.workFolder, "replay-")
	if err != nil {
		return exitFailed, err
	}
	replayed := func(n int) { r.status.Count("replaying", "", min(n+1, r.arguments.count), r.arguments.count, "") }
	replayed(0)
	opts := replayer.Options{
		Timeout: cmp.Or(r.arguments.options.replayTimeout, defaultReplayTimeout), Folder: replayer.NewFolder(folder), HoldTime: r.arguments.holdTime, OnReplay: replayed,
		OnViolation: func(pid int, stands []replayer.PendingAccess) {
			r.status.Clear()
			r.describeStop(r.arguments, r.witness, pid, stands)
		},
	}
	source := new(witness.Sources)
	code := replayer.Program{Sites: replayer.SitesByFunc(r.build.Sites), Files: explore.Files(r.module), Source: source, Properties: r.arguments.options.properties}
	result, err := replayer.Repeat(ctx, r.binaryForWitness, r.witness, code, r.arguments.count, opts)
	if err != nil {
		return exitFailed, err
	}
	// It is read before the next run, which has its files in the same folder.
	shown := recording.ReadReplay(result.Trace, r.build)
	// A test that fails by itself gives no answer: that may be why it left the schedule.
	plain, err := replayWithoutSchedule(ctx, r.binaryForWitness, r.witness, opts, result)
	if err != nil {
		return exitFailed, err
	}
	if plain.Effect != bug.NoEffect {
		return r.answerCannotTell(", as its test does not pass without a schedule either: %s", strings.Join(plain.Detail, " ")), nil
	}
	ev := evidence.Evidence{
		Witness: r.witness, Result: result, Path: r.relativeToShell(r.witnessFile), ReplayTrace: shown,
		Files: explore.Files(r.module), Source: source.Line,
	}
	if !explore.Diverges(result) {
		r.status.Clear()
		return r.answerReplay(ev), nil
	}
	// The sources have the whole witness, and its schedule leads elsewhere. So either the bug is
	// fixed, or another schedule leads to it.
	run := recorder.Run{Package: r.build.Tested[0], Binary: r.binaryForWitness.Path, Args: r.binaryForWitness.Args, Env: r.binaryForWitness.Env, ExecCommand: r.binaryForWitness.Exec}
	again, err := explore.New(r.build, r.module, folder, r.status, r.arguments.options.explorationOptions()).Recheck(ctx, run, r.witness, result, shown)
	if err != nil {
		return exitFailed, err
	}
	r.status.Clear()
	return r.answerRecheck(ev, again), nil
}

// replayWithoutSchedule returns how the witness's test ends without a schedule. It runs it only if no
// replay reached the bug and the test failed in some: then it may fail for a reason of its own
// by now.
func replayWithoutSchedule(ctx context.Context, bin replayer.Binary, w *witness.Witness, opts replayer.Options, r replayer.Result) (replayer.Outcome, error) {
	failed := func(v replayer.Verdict) bool { return v.Outcome.Effect == bug.TestFailure }
	if r.Reproduced > 0 || !slices.ContainsFunc(r.Verdicts, failed) {
		return replayer.Outcome{Effect: bug.NoEffect}, nil
	}
	return replayer.RunWithoutSchedule(ctx, bin, w, opts)
}

// errNoTests says that there is nothing to replay. That is an answer, and no failure of the command.
var errNoTests = errors.New("there are no tests in its package any more, or they are left out")

// buildFor builds the instrumented test binary of one package. Unlike test it does not use go test
// -exec, since only the witness's test will run.
func (s *session) buildFor(ctx context.Context, c *recorder.Config) (*recorder.Build, replayer.Binary, error) {
	c.Stdin, c.Stdout, c.Stderr = s.stdin, s.stdout, s.stderr
	b, err := recorder.Prepare(ctx, c)
	if err != nil {
		return nil, replayer.Binary{}, err
	}
	if len(b.Tested) != 1 || !b.Tested[0].HasTests {
		return nil, replayer.Binary{}, errNoTests
	}
	through, err := c.ExecCommand()
	if err != nil {
		return nil, replayer.Binary{}, err
	}
	path, err := b.TestBinary(ctx)
	return b, replayer.Binary{Path: path, Dir: c.Dir, Env: gotool.WithVariables(os.Environ(), c.Env.TestVariables), Exec: through}, err
}

// packageDir returns the folder of the witness's package: the nearest one above the witness that has
// tests. If there is none, as -predict.witnesses may have saved it elsewhere, it is the folder of the
// package of that name in the module here.
func (r *replayRun) packageDir(ctx context.Context) (string, error) {
	if dir := folderAbove(r.witnessFile); dir != "" {
		return dir, nil
	}
	// The witness may be a stranger's: its package is only compared, and is no pattern.
	out, err := gotool.Output(ctx, filepath.Join(r.dir, r.arguments.buildArgs.ChangeDir), "list", "-e", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}", "work")
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && path == r.witness.Package {
			return dir, nil
		}
	}
	return "", errors.Join(fmt.Errorf("%s: no folder above holds tests, and the module here has no package %s; a witness is replayed where it was saved, or from a folder of its module", r.witnessFile, r.witness.Package), err)
}

// folderAbove returns the nearest folder above a witness, within its module, that has tests; "" if
// there is none. So a witness needs no path of its machine, and can be moved with its package.
func folderAbove(path string) (found string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go")); len(tests) > 0 && found == "" {
			found = dir
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return found
		}
		if dir == filepath.Dir(dir) { // tests of no module
			return ""
		}
	}
}

// relativeToShell returns path relative to the working directory of the user's shell, if it is below that,
// for commands to paste there.
func (s *session) relativeToShell(path string) string {
	if rel, err := filepath.Rel(s.shell, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
