// Package explore is the loop over runs and traces: the tests of each package are recorded,
// bugs are predicted from the trace, and their witnesses are replayed until they are
// confirmed. The results decide which run to make next.
//
// It uses the rooms that each do a part of this: recorder, analysis and replayer. Package
// internal/command, which has the flags, the status line and the exit codes, uses it. An
// [Exploration] gets the first recordings of packages and fills a report.
//
//	recording ── predict ──> findings ── witnesses ──> replays ──> ledger ──> report
//	    ^                                                             │
//	    └───────────── strategies: the next run, by the ledger <──────┘
//
// Its parts are small packages. A recording is one run with its trace, and does not change;
// finding makes witnesses of what was predicted from it; replays run these and return
// verdicts; the ledger has what is known of each candidate; strategies propose the next run by
// the ledger and nothing else; budget bounds all that. This package joins them: it makes the
// runs that strategies propose, confirms what they show, and explores packages concurrently,
// each by itself.
package explore

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Options say what to look for, and how far to go.
type Options struct {
	Analysis analysis.Options // of each trace
	// AtomicMethods is set if methods of structs that hold a mutex are atomic regions.
	AtomicMethods bool
	// WitnessFolder is the folder for witnesses, below that of each package; if it is absolute, one
	// for all, with a folder for each package.
	WitnessFolder string
	// ArtifactFolder is the folder for witnesses that cannot be saved there; "" if there is none.
	ArtifactFolder string
	KeepFiles      bool // keep the files of the runs
	// ReplayTimeout bounds all replays together; 0 is no bound.
	ReplayTimeout time.Duration
	// MaxConcurrentPackages bounds the packages that are explored concurrently; 0 leaves that to the
	// machine.
	MaxConcurrentPackages int
	// Recordings is how often tests are recorded; 0 for as often as is cheap.
	Recordings int
	// OnNewBehaviour, if not nil, is called for each run beyond the recordings that shows something new.
	OnNewBehaviour func(line string)
	// OnConfirmedBug, if not nil, is called for each bug as soon as it is confirmed.
	OnConfirmedBug func(line string)
	Explore        Budget // how far tests are run beyond that
	FirstSeed      int    // of the first random order, from 1
}

// A Budget says how far tests are explored.
type Budget struct {
	NoExploration bool // not beyond what is recorded
	UntilComplete bool // until nothing is left
	// RunsPerTest bounds the runs of each test; 0 is no bound.
	RunsPerTest int
	// TotalTime bounds the time of all tests together; 0 is no bound.
	TotalTime time.Duration
}

// exceedsFlips reports whether more is asked for than a few flips.
func (b Budget) exceedsFlips() bool { return b.UntilComplete || b.RunsPerTest > 0 || b.TotalTime > 0 }

// An Exploration turns the recorded runs of packages into the report.
type Exploration struct {
	Report report.Report
	// AnalysisFailed is set if some package could not be analyzed.
	AnalysisFailed bool

	session *session
	bounds  bounds
	// reportedBugs has the sites of the confirmed findings in the report.
	reportedBugs map[string]bool
	// violations are those of the findings in the report, by their sites.
	violations map[string]*witness.Witness
}

// A session is what the packages of an exploration have in common.
type session struct {
	opts Options
	// build has the instrumented packages, and says where their binaries are.
	build *recorder.Build
	// root is the folder that witnesses and files are named relative to.
	root string
	// workFolder is the folder for traces and the files of replays.
	workFolder  string
	sourceNames recording.Sources
	status      *report.Status // what the user sees meanwhile
	clock       *budget.Clock
	pool        *replays.Pool

	announcedBugs sync.Map   // sites of the bugs that were announced
	announcing    sync.Mutex // of announcements
	// explorationTimeLeft is the time that is left for exploring, if that has a bound: packages are
	// explored one by one then.
	explorationTimeLeft  time.Duration
	numRecheckRecordings atomic.Int32 // recordings for rechecks
}

// New begins an exploration of what was built for the go command's environment env. It keeps
// its files in the folder work, and shows its progress on status.
func New(build *recorder.Build, env gotool.Env, work string, status *report.Status, opts Options) *Exploration {
	src := recording.Sources{Files: Files(env), Lines: new(witness.Sources), AtomicMethods: opts.AtomicMethods}
	clock := budget.NewClock(opts.ReplayTimeout)
	s := &session{
		opts: opts, build: build, root: env.Root(), workFolder: work, sourceNames: src, status: status,
		clock: clock, explorationTimeLeft: opts.Explore.TotalTime,
	}
	code := replayer.Program{Sites: replayer.SitesByFunc(build.Sites), Files: src.Files, Source: src.Lines, Properties: opts.Analysis.Properties}
	s.pool = replays.NewPool(build, code, s.clock, status, work, runtime.GOMAXPROCS(0))
	return newExploration(s, env.GOVERSION)
}

// newExploration returns an exploration with an empty report.
func newExploration(s *session, goVersion string) *Exploration {
	return &Exploration{
		Report: report.Report{Go: goVersion}, session: s, bounds: make(bounds),
		reportedBugs: make(map[string]bool), violations: make(map[string]*witness.Witness),
	}
}

// analysisOf returns the options for the analysis of traces of a package: the properties are
// its own and the built-in ones.
func (o *Options) analysisOf(pkg string) analysis.Options {
	opts := o.Analysis
	opts.Properties = slices.DeleteFunc(slices.Clone(opts.Properties), func(p property.Property) bool { return !p.IsFor(pkg) })
	return opts
}

// Interrupt notes in the report that the run ended early because of err, which Explore has
// returned.
func (x *Exploration) Interrupt(err error) {
	ledger.AddIncomplete(&x.Report, err.Error())
}

// joinReport adds the part of a package to the report and publishes its witnesses, but for bugs
// that another package has shown before.
func (x *Exploration) joinReport(l *loop) {
	// A bug in a package that others import is shown by the tests of each of them.
	l.ledger.DropReported(x.reportedBugs)
	(&publisher{l.ledger, l.ledger.Witnesses.Paths, x.session.opts.ArtifactFolder}).publish()
	r := &l.ledger.Report
	r.Witnesses = l.ledger.Witnesses.CommittedStates
	for k := range r.Findings {
		if f := &r.Findings[k]; f.Status == bug.Confirmed {
			x.reportedBugs[f.BugKey()] = true
		}
	}
	x.bounds.add(l.ledger)
	x.AnalysisFailed = x.AnalysisFailed || l.ledger.AnalysisFailed
	maps.Copy(x.violations, l.ledger.Violations)
	x.Report.AppendPart(r)
	for _, why := range r.Incomplete {
		ledger.AddIncomplete(&x.Report, why)
	}
}

// newLoop begins with a package, whose first recorded run is run.
func (s *session) newLoop(run recorder.Run) *loop {
	// Witnesses are beside the tests, unless the user has named one folder for all packages.
	below := ledger.WitnessFolder{Root: run.Package.Dir, Below: s.opts.WitnessFolder}
	if filepath.IsAbs(s.opts.WitnessFolder) {
		below = ledger.WitnessFolder{Root: s.opts.WitnessFolder, Below: filepath.FromSlash(run.Package.Path)}
	}
	l := ledger.New(run, ledger.Paths{Root: s.root, Witnesses: below}, s.pool.Program.Sites)
	l.TimeLeft = s.clock.Left
	r := &replays.Replayer{Pool: s.pool, NumRuns: &l.NumRuns}
	o := strategy.Options{Recordings: s.opts.Recordings, FirstSeed: s.opts.FirstSeed, Exploring: s.opts.Explore.exceedsFlips()}
	return &loop{
		session: s, ledger: l, replays: r, strategyOptions: o,
		confirmer: &confirm.Confirmer{
			Ledger: l, Candidates: l.Candidates, Replays: r, Sources: s.sourceNames, Strategy: o,
			Analysis: s.opts.analysisOf(run.Package.Path), OnBug: s.announce,
		},
		otherOrders: make(map[string]int), passingRuns: make(map[string]*strategy.Run), unrepeatedFailures: make(map[string]string),
	}
}

// Files returns how files of the module or workspace of env are named.
func Files(env gotool.Env) witness.Files {
	return witness.Files{Root: env.Root(), GOROOT: env.GOROOT, ModCache: env.GOMODCACHE}
}
