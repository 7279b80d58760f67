package theory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A paperProgram is a package of testdata/papers/programs, or one of its tests.
type paperProgram struct {
	Name string // "account", "collections/TestHashSet"
	bugs []knownBug
}

// A knownBug is what was counted by hand: a kind and places, and whether it is real.
type knownBug struct {
	kind   bug.Kind
	places []string // "account.go:17r", the last letter for reads and writes
	real   bool
	note   string // why it is not, or what a run needs to show it
}

// String is what findings are compared by: the kind and the lines. As in the reports,
// and in PECAN's table, what happens at the same lines in another order is the same
// bug, and what x++ reads and what it writes is one place.
func (b knownBug) String() string {
	var lines []string
	for _, place := range b.places {
		lines = append(lines, strings.TrimRight(place, "rw"))
	}
	slices.Sort(lines)
	return string(b.kind) + " " + strings.Join(lines, " ")
}

// readBugs reads a bugs.txt: lines such as
//
//	race account.go:17r account.go:32w real
//	race loader.go:18w loader.go:31r false: it is loaded
//
// and "test NAME", for the lines that follow. "#" begins a comment.
func readBugs(file string) []paperProgram {
	programs := []paperProgram{{Name: filepath.Base(filepath.Dir(file))}}
	for n, line := range strings.Split(run.ReadFile(file), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) == 2 && fields[0] == "test" {
			programs = append(programs, paperProgram{Name: programs[0].Name + "/" + fields[1]})
			continue
		}
		verdict := slices.IndexFunc(fields, func(f string) bool { return f == "real" || f == "real:" || f == "false:" })
		if verdict < 3 {
			run.Fail("%s:%d: expected a kind, places, and \"real\" or \"false: why\", found %q", file, n+1, line)
		}
		p := &programs[len(programs)-1]
		p.bugs = append(p.bugs, knownBug{bug.Kind(fields[0]), fields[1:verdict], fields[verdict] != "false:", strings.Join(fields[verdict+1:], " ")})
	}
	if len(programs) > 1 { // the package itself is none
		programs = programs[1:]
	}
	return programs
}

// paperKinds are the kinds of bugs, in the order in which the tables have them.
var paperKinds = [...]bug.Kind{bug.Race, bug.Atomicity, bug.AtomicSet}

// A paperCount has a number for each kind.
type paperCount [len(paperKinds)]int

// String returns the numbers as the papers' rows have them.
func (c paperCount) String() string { return fmt.Sprintf("%d + %d + %d", c[0], c[1], c[2]) }

// A paperResult is what was measured of one program.
type paperResult struct {
	paperProgram
	extent
	// How many sets of places are left: conflicts, then those that no common
	// lock excludes, those that the must-order does not; and how many of lines that
	// no tier refutes.
	Candidates, Unlocked, Unordered, Open paperCount
	Confirmed                             paperCount
	Exceptions, Failed                    int
	Replays, Reproduced                   int               // of those confirmed
	Search, Schedule, Solving             time.Duration     // all of the search; what one finding takes then; what solving adds for all of them
	found                                 map[string]bool   // confirmed, by knownBug.String
	reasons                               map[string]string // why not, of others
	Unknown                               []string          // confirmed, and not real by hand
	tiers                                 map[string]int    // of those confirmed, by who has found the schedule
	Warnings                              raceWarnings      // for programs of UCG's table
}

// papers runs gopredict on the programs that the papers measure. All is as it must be if nothing
// is confirmed that the count by hand does not have as real.
func papers(j *run.Job) bool {
	short := j.Bool("short", false, "run the tests with -short: some programs are as large as the papers' were, in events")
	j.Parse()
	var flags []string
	if *short {
		flags = []string{"-short"}
	}
	results := measurePapers(j, flags...)
	good := true
	for _, r := range results {
		for _, f := range r.Unknown {
			j.Log("%s: confirmed, and not in bugs.txt as real: %s", r.Name, f)
			good = false
		}
	}
	j.Write(pages, "papers.md", paperPage{results})
	return good
}

// measurePapers measures the programs that -run selects.
func measurePapers(j *run.Job, flags ...string) (results []*paperResult) {
	dir := filepath.Join(j.Dir, "papers")
	run.Check(os.CopyFS(dir, os.DirFS("testdata/papers/programs")))
	for _, file := range run.Must(filepath.Glob(filepath.Join(dir, "*", "bugs.txt"))) {
		for _, p := range readBugs(file) {
			if j.Matches(p.Name) {
				j.Log("%s", p.Name)
				run.In(p.Name, func() { results = append(results, p.measure(j, dir, flags)) })
			}
		}
	}
	return results
}

// measure runs the command on p, once for races and once for the rest: where a race is found, what
// it does to atomic regions is not reported as well.
func (p paperProgram) measure(j *run.Job, dir string, flags []string) *paperResult {
	r := &paperResult{paperProgram: p, found: make(map[string]bool), reasons: make(map[string]string), tiers: make(map[string]int)}
	keep := j.Sub("keep", p.Name)
	name, test, _ := strings.Cut(p.Name, "/")
	for _, kinds := range []string{"race", "atomicity,atomic-set"} {
		found, process := j.Predict(dir, slices.Concat(flags, []string{"-predict.kinds=" + kinds, "-run=^" + test, "-predict.keep=" + keep, "./" + name})...)
		switch {
		case process.Code != 0 && process.Code != 1:
			run.Fail("gopredict: %s\n%s", process.State, process.Output)
		case len(found.Packages) != 1 || found.Packages[0].Result != "pass":
			run.Fail("the recorded run did not pass\n%s", process.Output)
		}
		r.classify(found.Findings)
		// The next run is not to replay these witnesses.
		run.Check(os.RemoveAll(filepath.Join(dir, name, "testdata", "predict")))
	}
	r.analyse(j, run.ReadTrace(run.RecordedTraces(keep)[0]))
	return r
}

// classify compares the findings with what is known, and counts them.
func (r *paperResult) classify(findings []report.Finding) {
	real := make(map[string]bool)
	for _, b := range r.bugs {
		real[b.String()] = real[b.String()] || b.real
	}
	for _, f := range findings {
		b := knownBug{kind: f.Kind}
		for _, a := range f.Accesses {
			b.places = append(b.places, run.Place(a.File, a.Line))
		}
		name := b.String()
		if f.Status != bug.Confirmed {
			r.reasons[name] = f.Reason
			if f.Replays > 0 {
				r.Failed++
			}
			continue
		}
		r.Confirmed[slices.Index(paperKinds[:], f.Kind)]++
		r.tiers[f.Tier]++
		r.Replays, r.Reproduced = r.Replays+f.Replays, r.Reproduced+f.Reproduced
		if f.Effect != bug.NoEffect {
			r.Exceptions++
		}
		r.found[name] = true
		if !real[name] {
			r.Unknown = append(r.Unknown, name)
		}
	}
}

// analyse counts and times what the tiers do with a trace.
func (r *paperResult) analyse(j *run.Job, t *trace.Trace) {
	watch := run.Start()
	o := run.Must(order.New(t))
	anomaly.FindRaces(t, o)
	anomaly.Search(t, o, anomaly.FindRegions(t, o), anomaly.Builtin(), anomaly.MaxCombinations)
	r.Search = watch.Lap()

	findings, scheduling := 0, time.Duration(0)
	for k, kind := range paperKinds {
		opts := analysis.Options{Kinds: []bug.Kind{kind}}
		watch.Lap()
		run.Must(analysis.Predict(j.Context(), t, opts))
		all := watch.Lap()
		opts.Solving.Budget.Steps = 1 // again, with no solving to speak of
		found := run.Must(analysis.Predict(j.Context(), t, opts))
		direct := watch.Lap()
		scheduling += direct
		r.Solving += max(0, all-direct)
		r.Candidates[k] = found.Candidates
		r.Unlocked[k] = found.Candidates - found.Locked
		r.Unordered[k] = r.Unlocked[k] - found.Ordered
		open := make(map[string]bool)
		for _, f := range found.Findings {
			b := knownBug{kind: kind}
			for _, id := range f.Sites {
				b.places = append(b.places, run.Place(t.Sites[id].File, t.Sites[id].Line))
			}
			if f.Status != bug.Infeasible {
				open[b.String()] = true
			}
		}
		r.Open[k] = len(open)
		findings += len(found.Findings)
	}
	r.Schedule = scheduling / time.Duration(max(1, findings))
	if slices.ContainsFunc(r.Published(), func(p publishedRow) bool { return p.Paper == "UCG" }) {
		r.Warnings = countWarnings(t, o)
	}
	r.extent = extentOf(t, o)
}

// raceWarnings are what Table 1 of Kahlon and Wang counts of races: pairs of events.
type raceWarnings struct {
	All   int // accesses by different goroutines to the same memory, one of them a write
	Locks int // of All, those that lock sets and acquisition histories do not exclude
	Order int // of All, those that must-happen-before does not order
	Both  int // of All, those that neither excludes
	Graph int // of Both, those that the causality graph does not refute
}

// countWarnings counts the pairs of a trace.
func countWarnings(t *trace.Trace, o *order.Order) (w raceWarnings) {
	m := causality.New(t, o)
	var left []causality.Property
	for _, g := range o.Groups() {
		for l, j := range g.Events {
			for k, i := range g.Events[:l] {
				if t.Events[i].G == t.Events[j].G || !g.Accesses[k].Conflicts(g.Accesses[l]) || !g.Overlaps.Share(g.LocationOf[k], g.LocationOf[l]) {
					continue
				}
				w.All++
				_, _, locked := o.ExcludedByHistory(int(i), int(j))
				locked = locked || o.Exclude(o.LockSet(int(i)), o.LockSet(int(j)))
				ordered := o.BeforeReached(int(i), int(j))
				if !locked {
					w.Locks++
				}
				if !ordered {
					w.Order++
				}
				if !locked && !ordered {
					left = append(left, m.Meeting(int(i), int(j)))
				}
			}
		}
	}
	w.Both = len(left)
	for _, group := range m.Partition(left) {
		var members []causality.Property
		for _, k := range group {
			members = append(members, left[k])
		}
		cyclic := m.Chopped(members...).Cyclic()
		for n := range members {
			if cyclic>>n&1 == 0 {
				w.Graph++
			}
		}
	}
	return w
}

// A publishedRow is a row of a paper's table, as printed there; "" stands for what it does not give.
// papers.txt has all of them.
type publishedRow struct {
	Paper, Goroutines, Shared, Events, Candidates, Unlocked, Unordered, Open string
	Confirmed, Exceptions, Failed, Search, Schedule                          string
}

// publishedRows are the papers' rows by program.
var publishedRows = func() map[string][]publishedRow {
	rows := make(map[string][]publishedRow)
	for _, c := range readTable("papers.txt") {
		rows[c[0]] = append(rows[c[0]], publishedRow{c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13]})
	}
	return rows
}()

// Published are the papers' rows of the program.
func (p paperProgram) Published() []publishedRow { return publishedRows[p.Name] }

// A paperPage is what the template of the page gets.
type paperPage struct{ Results []*paperResult }

// Tiers are how many of the confirmed bugs have a schedule of each tier, of all programs.
func (p paperPage) Tiers() map[string]int {
	sum := make(map[string]int)
	for _, r := range p.Results {
		for tier, n := range r.tiers {
			sum[tier] += n
		}
	}
	return sum
}

// pecanShares has by program the share that PECAN's Table 1 has created of the predicted
// anomalies, and how often AssetFuzzer makes an anomaly happen that is real, of Table 2.
var pecanShares = func() map[string][2]string {
	shares := make(map[string][2]string)
	for _, c := range readTable("papers-shares.txt") {
		shares[c[0]] = [2]string{c[1], c[2]}
	}
	return shares
}()

// PecanShare and AssetFuzzer are the program's; "" where the tables do not have it.
func (p paperProgram) PecanShare() string  { return pecanShares[p.Name][0] }
func (p paperProgram) AssetFuzzer() string { return pecanShares[p.Name][1] }

// RealBugs returns the real bugs, one for several of the same lines.
func (p paperProgram) RealBugs() (bugs []knownBug) {
	for _, b := range p.bugs {
		if b.real && !slices.ContainsFunc(bugs, func(o knownBug) bool { return o.String() == b.String() }) {
			bugs = append(bugs, b)
		}
	}
	return bugs
}

// MissedReal returns the real bugs that were not confirmed, and ConfirmedReal how many were.
func (r *paperResult) MissedReal() []knownBug {
	return slices.DeleteFunc(r.RealBugs(), func(b knownBug) bool { return r.found[b.String()] })
}

func (r *paperResult) ConfirmedReal() int { return len(r.RealBugs()) - len(r.MissedReal()) }

// A paperMiss has the bugs of a program that were missed for one reason.
type paperMiss struct{ Program, Bugs, Why string }

// Misses are those of all programs.
func (p paperPage) Misses() (all []paperMiss) {
	for _, r := range p.Results {
		first := len(all)
		for _, m := range r.MissedReal() {
			why := r.why(m)
			k := slices.IndexFunc(all[first:], func(o paperMiss) bool { return o.Why == why })
			if k < 0 {
				all = append(all, paperMiss{r.Name, m.String(), why})
			} else {
				all[first+k].Bugs += ", " + m.String()
			}
		}
	}
	return all
}

// why returns why a bug was missed: the note made by hand, or the reason in the report.
func (r *paperResult) why(m knownBug) string {
	if m.note != "" {
		return m.note
	}
	if reason, ok := r.reasons[m.String()]; ok {
		return reason
	}
	return "the command does not look for it, or the recorded run has no such events"
}
