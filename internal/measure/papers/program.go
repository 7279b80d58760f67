package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/extent"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// kinds are the kinds of bugs, in the order in which the tables have them.
var kinds = [...]bug.Kind{bug.Race, bug.Atomicity, bug.AtomicSet}

// A count has a number for each kind.
type count [len(kinds)]int

// A result is what one program came to.
type result struct {
	program
	goroutines, locations, events int
	// How many sets of places are left: conflicts, then those that no common
	// lock excludes, those that the must-order does not; and how many of lines that
	// no tier refutes.
	candidates, unlocked, unordered, open count
	confirmed                             count
	exceptions, failed                    int
	replays, reproduced                   int               // of those confirmed
	search, schedule, solving             time.Duration     // all of the search; what one finding takes then; what solving adds for all of them
	found                                 map[string]bool   // confirmed, by bug.String
	reasons                               map[string]string // why not, of others
	unknown                               []string          // confirmed, and not real by hand
	tiers                                 map[string]int    // of those confirmed, by who has found the schedule
	warnings                              warnings          // for programs of UCG's table
}

// measure runs the command on p in the module in dir, once for races and once
// for the rest, with flags: where a race is found, what it does to atomic regions is
// not told as well. Its files are kept.
func (p program) measure(ctx context.Context, tool, dir, keep string, flags ...string) (*result, error) {
	r := &result{program: p, found: make(map[string]bool), reasons: make(map[string]string), tiers: make(map[string]int)}
	for _, of := range []string{"race", "atomicity,atomic-set"} {
		if err := r.predict(ctx, tool, dir, keep, append(slices.Clip(flags), "-predict.kinds="+of)); err != nil {
			return nil, err
		}
	}
	traces, err := filepath.Glob(filepath.Join(keep, "*", "runs", "*", "*.test.trace"))
	if err != nil {
		return nil, err
	}
	if len(traces) == 0 {
		return nil, fmt.Errorf("no trace below %s", keep)
	}
	return r, r.analyse(ctx, traces[0])
}

// predict runs the command with some flags.
func (r *result) predict(ctx context.Context, tool, dir, keep string, flags []string) error {
	name, test, _ := strings.Cut(r.name, "/")
	if err := os.MkdirAll(keep, 0o777); err != nil {
		return err
	}
	var rep report.Report
	state, out, err := script.Predict(ctx, tool, dir, &rep, append(slices.Clip(flags), "-run=^"+test, "-predict.keep="+keep, "./"+name)...)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", r.name, err)
	case state.ExitCode() != 0 && state.ExitCode() != 1:
		return fmt.Errorf("%s: gopredict: %v\n%s", r.name, state, out)
	case len(rep.Packages) != 1 || rep.Packages[0].Result != "pass":
		return fmt.Errorf("%s: the recorded run did not pass\n%s", r.name, out)
	}
	r.findings(rep.Findings)
	// The next run is not to replay these witnesses.
	return os.RemoveAll(filepath.Join(dir, name, "testdata", "predict"))
}

// findings sorts what the command found by what is known.
func (r *result) findings(fs []report.Finding) {
	real := make(map[string]bool)
	for _, b := range r.bugs {
		real[b.String()] = real[b.String()] || b.real
	}
	for _, f := range fs {
		b := known{kind: f.Kind}
		for _, a := range f.Accesses {
			b.places = append(b.places, fmt.Sprintf("%s:%d%.1s", filepath.Base(a.File), a.Line, a.Op))
		}
		name := b.String()
		if f.Status != bug.Confirmed {
			r.reasons[name] = f.Reason
			if f.Replays > 0 {
				r.failed++
			}
			continue
		}
		r.confirmed[slices.Index(kinds[:], f.Kind)]++
		r.tiers[f.Tier]++
		r.replays, r.reproduced = r.replays+f.Replays, r.reproduced+f.Reproduced
		if f.Effect != bug.NoEffect {
			r.exceptions++
		}
		r.found[name] = true
		if !real[name] {
			r.unknown = append(r.unknown, name)
		}
	}
}

// analyse counts and times what the tiers do with a trace.
func (r *result) analyse(ctx context.Context, file string) error {
	t, err := trace.ReadFile(file)
	if err != nil {
		return err
	}
	start := script.Processor()
	o, err := order.New(t)
	if err != nil {
		return err
	}
	anomaly.FindRaces(t, o)
	anomaly.Search(t, o, anomaly.FindRegions(t, o), anomaly.Builtin(), anomaly.MaxCombinations)
	r.search = script.Processor() - start

	findings, scheduling := 0, time.Duration(0)
	for k, kind := range kinds {
		opts := analysis.Options{Kinds: []bug.Kind{kind}}
		start := script.Processor()
		if _, err := analysis.Predict(ctx, t, opts); err != nil {
			return err
		}
		all := script.Processor() - start

		// Again, with no solving to speak of.
		opts.Solving.Budget.Steps = 1
		start = script.Processor()
		found, err := analysis.Predict(ctx, t, opts)
		if err != nil {
			return err
		}
		direct := script.Processor() - start
		scheduling += direct
		r.solving += max(0, all-direct)
		r.candidates[k] = found.Candidates
		r.unlocked[k] = found.Candidates - found.Locked
		r.unordered[k] = r.unlocked[k] - found.Ordered
		open := make(map[string]bool)
		for _, f := range found.Findings {
			if f.Status != bug.Infeasible {
				open[known{kind: kind, places: places(t, f.Sites)}.String()] = true
			}
		}
		r.open[k] = len(open)
		findings += len(found.Findings)
	}
	if findings > 0 {
		r.schedule = scheduling / time.Duration(findings)
	}
	if slices.ContainsFunc(papers[r.name], func(p published) bool { return p.by == ucg }) {
		r.warnings = warn(t, o)
	}
	its := extent.Of(t, o)
	r.goroutines += its.Goroutines
	r.events += its.Events
	r.locations += its.Shared
	return nil
}

// places are those of sites, as bugs.txt has them.
func places(t *trace.Trace, sites []trace.SiteID) (ps []string) {
	for _, id := range sites {
		s := t.Sites[id]
		ps = append(ps, fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line))
	}
	return ps
}
