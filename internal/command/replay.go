package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file is the answer to "is this bug still there?", which users ask after a change
// and scripts in bisecting. A witness is replayed in the sources as they are now; where the
// program no longer follows the schedule, its bug is looked for anew before it is called
// fixed: a false "fixed" is as bad as a false alarm.
//
//	the replay reaches the bug           there: 1
//	the test fails without a schedule    cannot tell: 2
//	the program leaves the schedule, or
//	the sources have not all its places  record and predict again (explore.Recheck):
//	    another schedule reaches it      there: 1
//	    no order of the places is open   fixed: 0
//	    else                             cannot tell: 2
//
// To git bisect run, 1 is bad and 0 is good; 2 would be bad as well, where a script has to
// say 125, skip.

// replayArgs is the command line of replay. What the user says of the test's flags wins over
// what the witness was recorded with.
type replayArgs struct {
	options options
	n       int
	verbose bool
	hold    time.Duration   // how long to stop at the violation; 0: not at all
	build   gotool.TestArgs // build flags, and -exec
	test    []string        // arguments of the test binary
	paths   []string        // of the witnesses
}

// seen are the flags of go test that tests can see; replay takes these, and what follows
// -args, in place of those that the witness was recorded with: a bug that -short leaves out
// is not fixed.
var seen = []string{"short", "skip", "parallel"}

// parseReplay reads the command line of replay: its own flags, build flags, and those of
// the test binary. Its own are -n, -v, -hold, those of the formats, as report has them, and
// -predict.NAME; the others are read as go
// test's are (gotool.ParseTest), which then must not have any flag in it that neither says
// how to build nor is seen.
func (s *session) parseReplay(args []string) (r replayArgs, err error) {
	r.n = 1
	if r.options, args, err = parseOptions(s.env, args); err != nil {
		return r, err
	}
	var rest []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch {
		case name == "-v" || arg == "-v":
			r.verbose = true
		case (name == "args" || name == "-args") && strings.HasPrefix(arg, "-"): // the rest is for the test binary
			rest, args = append(append(rest, arg), args...), nil
		case (name == "hold" || name == "-hold") && strings.HasPrefix(arg, "-"):
			if r.hold, err = time.ParseDuration(cmp.Or(value, "1h")); err != nil || r.hold <= 0 {
				return r, usagef("-hold=%s: expected a duration above 0, such as 10m", value)
			}
		case (name == "n" || name == "-n") && strings.HasPrefix(arg, "-"):
			if !hasValue && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			if r.n, err = strconv.Atoi(value); err != nil || r.n < 1 {
				return r, usagef("-n %s: expected a number of replays, from 1", value)
			}
		case writers[strings.TrimPrefix(name, "-")] != nil && strings.HasPrefix(arg, "-"):
			if !hasValue && len(args) == 0 {
				return r, usagef("%s needs the name of a file", arg)
			}
			if !hasValue {
				value, args = args[0], args[1:]
			}
			if r.options.files == nil {
				r.options.files = make(map[string]string)
			}
			r.options.files[strings.TrimPrefix(name, "-")] = value
		default:
			rest = append(rest, arg)
		}
	}
	if r.hold > 0 && r.n > 1 {
		return r, usagef("-hold stops one replay, found -n %d too", r.n)
	}
	if r.build, err = gotool.ParseTest(rest); err != nil {
		return r, usagef("%v", err)
	}
	// What tests can see of their flags must be as when the witness was recorded, or as
	// the user says now; what says how to build must not get into the binary's arguments.
	for _, f := range r.build.Flags {
		if slices.Contains(seen, f.Name) {
			f.Name = "test." + f.Name
			r.test = append(r.test, f.String())
		}
	}
	r.test = append(r.test, r.build.Rest...)
	r.build = r.build.Without(seen...)
	r.build.Rest = nil
	if build := r.build.Without("exec"); len(build.LoadFlags()) != len(build.Flags) {
		return r, usagef("replay takes -n, -v, -hold, "+formatFlags("-")+", -exec, -short, -skip, -parallel, -args and build flags such as -tags, found %s", strings.Join(rest, " "))
	}
	// The words that are no flags are witnesses, where go test has packages.
	if r.paths, err = witnesses(filepath.Join(s.dir, r.build.Dir), r.build.Packages); err != nil {
		return r, err
	}
	if r.hold > 0 && len(r.paths) > 1 {
		return r, usagef("-hold stops one replay, found %d witnesses", len(r.paths))
	}
	r.build.Packages = []string{"."}
	return r, nil
}

const takesWitnesses = "replay takes witness files, or folders that hold some"

// witnesses are the files that words stand for, in the folder dir: a file for itself, a
// folder for all witnesses in it and below, also where it is written as go test has it
// (./...).
func witnesses(dir string, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, usagef(takesWitnesses + ", found none")
	}
	var paths []string
	for _, word := range words {
		path := strings.TrimSuffix(word, "...")
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, usagef(takesWitnesses+": %v", err)
		}
		if !info.IsDir() {
			paths = append(paths, path)
			continue
		}
		below, err := witness.Below(path)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			return nil, usagef(takesWitnesses+", found none below %s", word)
		}
		paths = append(paths, below...)
	}
	return paths, nil
}

// oneReplay is the time that one replay may take. What cannot go on ends long
// before.
const oneReplay = time.Minute

// replay re-runs witnesses, one after the other, and says of each whether its bug is there.
// If one is, that decides the exit code, and else whether one cannot be told.
func (s *session) replay(ctx context.Context, args []string) (int, error) {
	a, err := s.parseReplay(args)
	if err != nil {
		return exitUsage, err
	}
	work, cleanup, err := makeWork(a.options.keep)
	if err != nil {
		return exitFailed, err
	}
	defer cleanup()
	status := report.NewStatus(s.stderr)
	defer status.Close()
	r := &replaying{session: s, args: a, work: work, status: status, built: make(map[string]*tests)}
	worst, start := exitOK, time.Now()
	for _, path := range a.paths {
		var code int
		if code, err = r.one(ctx, path); err != nil {
			r.report.Incomplete = []string{err.Error()}
			break
		}
		if code == exitBug || worst != exitBug && code > worst {
			worst = code
		}
	}
	// What has been found out is written, too, where the rest could not be.
	r.report.Version, r.report.DurationS = ownVersion(), time.Since(start).Seconds()
	r.report.Finish()
	if unwritten := s.writeFiles(a.options.files, "-"+prefix, &r.report); err == nil {
		err = unwritten
	}
	if err != nil {
		return exitFailed, err
	}
	return worst, nil
}

// A replaying is what one replay command is at.
type replaying struct {
	*session
	args   replayArgs
	work   string         // folder for its files
	status *report.Status // what the user sees meanwhile; cleared before an answer is printed
	built  map[string]*tests
	report report.Report // of the answers

	// Of the witness that is replayed.
	path    string
	witness *witness.Witness
	*tests
	bin replayer.Binary // with the arguments that the witness has
}

// Tests are those of one package in the sources as they are now, as some of its witnesses
// need them.
type tests struct {
	module gotool.Env
	build  *recorder.Build
	binary replayer.Binary
	err    error // errNoTests, or nil
}

// one replays the witness in a file and says whether its bug is there.
func (r *replaying) one(ctx context.Context, path string) (int, error) {
	w, err := witness.Load(path)
	if err != nil {
		return exitFailed, err
	}
	r.path, r.witness = path, w
	if err := r.prepare(ctx); errors.Is(err, errNoTests) {
		return r.cannotTell(": cannot tell whether it is fixed: %v", err), nil
	} else if err != nil {
		return exitFailed, err
	}
	return r.answer(ctx)
}

// prepare builds the tests that the witness is of, unless that was done for another one.
func (r *replaying) prepare(ctx context.Context) error {
	dir, err := r.packageDir(ctx)
	if err != nil {
		return err
	}
	instrument, methods := explore.Instrument(r.args.options.pkgs, r.witness), r.args.options.methods || r.witness.Methods
	key := fmt.Sprintf("%q %q %v", dir, instrument, methods)
	if r.built[key] == nil {
		work := filepath.Join(r.work, fmt.Sprintf("build-%d", len(r.built)+1))
		if err := os.Mkdir(work, 0o777); err != nil {
			return err
		}
		module, err := gotool.ReadEnv(ctx, dir)
		if err != nil {
			return err
		}
		tool, err := hidden(toolCommand)
		if err != nil {
			return err
		}
		t := &tests{module: module}
		conf := &recorder.Config{
			Dir: dir, Args: r.args.build, Env: module, Work: work, Tool: tool,
			Instrument: instrument, AtomicMethods: methods,
			Debug: r.args.hold > 0,
			Phase: func(what string) { r.status.Set(what, "") },
		}
		if system := conf.Untried(); system != "" {
			r.complain("%s", untried(system))
		}
		t.build, t.binary, err = r.buildFor(ctx, conf)
		if err != nil && !errors.Is(err, errNoTests) {
			return err
		}
		t.err = err
		r.built[key] = t
	}
	if t := r.built[key]; t.err == nil {
		var err error
		if r.args.options.properties, err = allProperties(t.build.Properties); err != nil {
			return err
		}
	}
	if r.tests = r.built[key]; r.tests.err != nil {
		return r.tests.err
	}
	// A witness that was moved along with its package has another path in it, and steps
	// that name functions of that path: better no answer than that it is stale.
	if got := r.build.Tested[0].Path; got != r.witness.Package {
		return fmt.Errorf("%s: the witness is of package %s, the folder above it holds %s", r.path, r.witness.Package, got)
	}
	r.bin = r.binary
	r.bin.Args = replayer.ArgsFor(r.witness, r.args.test)
	return nil
}

// answer replays the witness, prints what that shows, and returns the exit code.
func (r *replaying) answer(ctx context.Context) (int, error) {
	folder, err := os.MkdirTemp(r.work, "replay-")
	if err != nil {
		return exitFailed, err
	}
	replayed := func(n int) { r.status.Count("replaying", "", min(n+1, r.args.n), r.args.n, "") }
	replayed(0)
	opts := replayer.Options{
		Timeout: cmp.Or(r.args.options.timeout, oneReplay), Work: replayer.NewFolder(folder), Hold: r.args.hold, Replayed: replayed,
		Standing: func(pid int, stands []replayer.Stand) {
			r.status.Clear()
			r.tellStanding(r.args, r.witness, pid, stands)
		},
	}
	source := new(witness.Sources)
	code := replayer.Code{Sites: replayer.ByFunc(r.build.Sites), Files: explore.Files(r.module), Source: source, Properties: r.args.options.properties}
	result, err := replayer.Repeat(ctx, r.bin, r.witness, code, r.args.n, opts)
	if err != nil {
		return exitFailed, err
	}
	// Read before the next run, which keeps its files in the same folder.
	shown := explore.ReadShown(result.Trace, r.build, r.witness, result.Witness)
	// A test that fails by itself tells nothing: the schedule may have been left for that.
	plain, err := plainly(ctx, r.bin, r.witness, opts, result)
	if err != nil {
		return exitFailed, err
	}
	if plain.Effect != bug.NoEffect {
		return r.cannotTell(", as its test does not pass without a schedule either: %s", strings.Join(plain.Detail, " ")), nil
	}
	ev := evidence.Evidence{
		Witness: r.witness, Result: result, Path: r.relative(r.path), Replayed: shown,
		Files: explore.Files(r.module), Source: source.Line,
	}
	if !explore.Strays(result) {
		r.status.Clear()
		return r.tellReplay(ev), nil
	}
	// The whole witness is in the sources, and its schedule leads elsewhere: either the bug
	// is fixed or another schedule leads to it.
	run := recorder.Run{Package: r.build.Tested[0], Binary: r.bin.Path, Args: r.bin.Args, Env: r.bin.Env, Exec: r.bin.Exec}
	again, err := explore.New(r.build, r.module, folder, r.status, r.args.options.explore()).Recheck(ctx, run, r.witness, result)
	if err != nil {
		return exitFailed, err
	}
	r.status.Clear()
	return r.tellRecheck(ev, again), nil
}

// cannotTell prints that nothing is known of the bug, and why, with what parts that from
// what stands before it; it returns the exit code.
func (r *replaying) cannotTell(format string, args ...any) int {
	r.status.Clear()
	why := fmt.Sprintf(format, args...)
	r.tellf("%s: unconfirmed%s", r.witness.ID, why)
	r.note(bug.Unconfirmed, strings.TrimLeft(why, ":, "))
	return exitNoAnswer
}

// note puts into the report what has become of the witness.
func (r *replaying) note(status bug.Status, reason string) {
	r.report.Witnesses = append(r.report.Witnesses, report.WitnessState{Witness: r.inModule(), ID: r.witness.ID, Status: status, Reason: reason})
}

// there prints and notes that the bug of the witness is there, as now has it.
func (r *replaying) there(f report.Finding, now *witness.Witness, reason string) {
	opts := textOptions(r.stdout, r.module)
	opts.All = r.args.verbose
	report.WriteFinding(r.stdout, &f, opts)
	f.Witness, f.Fails = r.inModule(), true
	r.report.Findings = append(r.report.Findings, f)
	if where := moved(r.witness, now); where != "" {
		r.tellf("%s: moved %s", r.witness.ID, where)
		reason = explore.Both(reason, "moved "+where)
	}
	r.note(bug.Confirmed, reason)
}

// moved says from where to where the bug of a witness has gone, which is now that of another:
// "from bank.go:31 and bank.go:40 to bank.go:33 and bank.go:42"; "" if it is where it was.
func moved(w, now *witness.Witness) string {
	places := func(w *witness.Witness) string {
		steps := slices.Clone(w.Violation)
		slices.SortFunc(steps, func(a, b witness.Step) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
		var out []string
		for _, v := range steps {
			out = append(out, fmt.Sprintf("%s:%d", v.File, v.Line))
		}
		return strings.Join(slices.Compact(out), " and ")
	}
	if from, to := places(w), places(now); from != to {
		return fmt.Sprintf("from %s to %s", from, to)
	}
	return ""
}

// inModule names the witness as reports do, and notes what it is replayed with.
func (r *replaying) inModule() string {
	r.report.Go = r.module.GOVERSION
	if rel, err := filepath.Rel(r.module.Root(), r.path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return r.path
}

// tellRecheck prints what was found out of a witness that has left its schedule, and
// returns the exit code. A bug that another schedule leads to is there all the same; the
// witness that was given stays as it is, and replays of it will go this way each time.
func (r *replaying) tellRecheck(ev evidence.Evidence, again explore.Recheck) int {
	result, id := ev.Result, ev.Witness.ID
	why := explore.Why(result)
	if status := again.Status; status != bug.Confirmed {
		if why = explore.Both(again.Reason, why); status == bug.Unconfirmed && result.OfWitness() == bug.Stale {
			status, why = bug.Stale, explore.Both(explore.Why(result), again.Reason)
		}
		r.tellf("%s: %s, reached in 0 of %d replays: %s", id, status, result.Replays, why)
		r.note(status, why)
		if status == bug.Fixed {
			return exitOK
		}
		return exitNoAnswer
	}
	r.tellf("%s: the program has left the schedule, and comes to the bug by another: %s", id, why)
	f := again.Finding()
	f.Witness = ev.Path
	r.there(f, again.Witness(), "by another schedule")
	r.tellf("%s: reached in %d of %d replays, by another schedule", id, f.Reproduced, f.Replays)
	return exitBug
}

// plainly returns how the witness's test ends without a schedule, where that
// decides what replays tell that did not reach the bug: if none did, and in some the test
// failed. It may fail for a reason of its own by now, before it comes to the bug.
func plainly(ctx context.Context, bin replayer.Binary, w *witness.Witness, opts replayer.Options, r replayer.Result) (replayer.Outcome, error) {
	failed := func(v replayer.Verdict) bool { return v.Outcome.Effect == bug.TestFailure }
	if r.Reproduced > 0 || !slices.ContainsFunc(r.Verdicts, failed) {
		return replayer.Outcome{Effect: bug.NoEffect}, nil
	}
	return replayer.Plain(ctx, bin, w, opts)
}

// errNoTests is why there is nothing to replay. It is an answer about the sources, "cannot
// tell", and no failure of the command.
var errNoTests = errors.New("there are no tests in its package any more, or they are left out")

// buildFor builds the instrumented test binary of one package. Unlike test it does not go
// through go test -exec, as nothing of the package is to be run but the witness's test.
func (s *session) buildFor(ctx context.Context, c *recorder.Config) (*recorder.Build, replayer.Binary, error) {
	c.Stdin, c.Stdout, c.Stderr = s.stdin, s.stdout, s.stderr
	b, err := recorder.Prepare(ctx, c)
	if err != nil {
		return nil, replayer.Binary{}, err
	}
	if len(b.Tested) != 1 || !b.Tested[0].HasTests {
		return nil, replayer.Binary{}, errNoTests
	}
	through, err := c.Exec()
	if err != nil {
		return nil, replayer.Binary{}, err
	}
	path, err := b.TestBinary(ctx)
	return b, replayer.Binary{Path: path, Dir: c.Dir, Env: gotool.WithVariables(os.Environ(), c.Env.Tests), Exec: through}, err
}

// tellStanding says where the program has stopped, and how to look at it: all goroutines
// of the violation stand before their accesses, which no breakpoint could bring about, as
// each would stop the others where they just happen to be.
func (s *session) tellStanding(a replayArgs, w *witness.Witness, pid int, stands []replayer.Stand) {
	s.tellf("%s: stands at the bug in process %d, for %v (Ctrl-C ends it)", w.ID, pid, a.hold)
	for _, at := range stands {
		s.tellf("  %s", aboutTo(at, w))
	}
	fmt.Fprintf(s.stdout, "To look at it, type\n\n\tdlv attach %d\n\nand there \"goroutines -t\" and \"goroutine N frame K\"; with -gcflags=all=-N\\ -l all variables are there.\n", pid)
}

// aboutTo says what a goroutine that stands at the violation of w will do next:
// "goroutine 0.1 is about to write a.balance = 90 at bank.go:12 (8 bytes at 0xc0…)". The
// address is what to set a watchpoint at.
func aboutTo(at replayer.Stand, w *witness.Witness) string {
	i := slices.IndexFunc(w.Violation, func(v witness.Step) bool { return v.Goroutine == at.Goroutine && v.Op == at.Op })
	step, place := report.Step{Op: at.Op.String(), Value: at.Value}, ""
	if i >= 0 {
		v := w.Violation[i]
		step.Expr = v.Expr
		place = fmt.Sprintf(" at %s:%d", filepath.Base(v.File), v.Line)
	}
	return fmt.Sprintf("%s is about to %s%s (%d bytes at %#x)", witness.Prose(at.Goroutine, w.Tests), step, place, at.Size, at.Addr)
}

// tellReplay prints what the replays showed, and returns the exit code. The bug is there if
// one of them reached it; how many did says how far the witness is to be relied on.
func (r *replaying) tellReplay(ev evidence.Evidence) int {
	result, id := ev.Result, ev.Witness.ID
	if result.Reproduced > 0 {
		for _, note := range result.Notes {
			r.complain("%s: %s", id, note)
		}
	}
	if r.args.verbose && len(result.Verdicts) > 0 {
		fmt.Fprint(r.stdout, result.Verdicts[0].Output)
	}
	if result.Reproduced == 0 {
		why := explore.Why(result)
		r.tellf("%s: %s, reached in 0 of %d replays: %s", id, result.OfWitness(), result.Replays, why)
		r.note(result.OfWitness(), why)
		return exitNoAnswer
	}
	r.there(evidence.NewFinding(ev), result.Witness, "")
	r.tellf("%s: reached in %d of %d replays", id, result.Reproduced, result.Replays)
	for _, m := range missed(result.Verdicts) {
		r.tellf("%s: not reached in %d: %s", id, m.count, m.reason)
	}
	return exitBug
}

// A miss is why some replays did not reach the bug.
type miss struct {
	reason string
	count  int
}

// missed counts the reasons of the replays that were not confirmed, in the
// order in which they came: of a hundred replays that miss, few have reasons of their own.
func missed(verdicts []replayer.Verdict) []miss {
	var out []miss
	for _, v := range verdicts {
		if v.Status == bug.Confirmed {
			continue
		}
		i := slices.IndexFunc(out, func(m miss) bool { return m.reason == v.Reason })
		if i < 0 {
			i = len(out)
			out = append(out, miss{reason: v.Reason})
		}
		out[i].count++
	}
	return out
}

// packageDir finds the package that the witness belongs to: that of the folder above it. One
// that lies elsewhere, as -predict.witnesses has asked for, is of the package of that name in
// the module of the user's folder.
func (r *replaying) packageDir(ctx context.Context) (string, error) {
	if dir := folderAbove(r.path); dir != "" {
		return dir, nil
	}
	// A witness may say what it likes: its package is compared, and no pattern.
	out, err := gotool.Output(ctx, filepath.Join(r.dir, r.args.build.Dir), "list", "-e", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}", "work")
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && path == r.witness.Package {
			return dir, nil
		}
	}
	return "", errors.Join(fmt.Errorf("%s: no folder above holds tests, and the module here has no package %s; a witness is replayed where it was saved, or from a folder of its module", r.path, r.witness.Package), err)
}

// folderAbove is the nearest folder above a witness, within its module, that holds tests; ""
// if there is none. That is how a witness needs no path of its own machine in it, and can be
// moved along with its package.
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

// relative names path relative to the user's shell, if it is below: commands that are
// printed can be pasted there.
func (s *session) relative(path string) string {
	if rel, err := filepath.Rel(s.shell, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
