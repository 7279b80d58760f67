package bugs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/trace"
)

// switchedOff are the tiers and steps that are switched off in turn; "" is none of them.
var switchedOff = []string{
	"", analysis.TierHistory, analysis.TierMust, analysis.TierCausality, analysis.TierCone, analysis.TierTurned,
	analysis.TierPecan, analysis.TierSliced, analysis.TierSolver, analysis.StepPairs, analysis.StepMatches,
}

// A tierSet is modules whose recorded runs are analyzed.
type tierSet struct {
	name    string
	modules func(j *run.Job) []string // copies the modules and returns their folders
	flags   []string
}

var tierSets = []tierSet{
	{"subjects", copySubjects, nil},
	{"variations", func(j *run.Job) []string { dir, _ := copyVariations(j); return []string{dir} }, nil},
	{"papers", func(j *run.Job) []string {
		return []string{run.CopySubject("programs", filepath.Join(j.Dir, "programs"))}
	}, []string{"-short"}},
	{"sctbench", func(j *run.Job) []string {
		return []string{run.CopySubject("sctbench", filepath.Join(j.Dir, "sctbench"))}
	}, nil},
	{"leaks", func(j *run.Job) []string { _, dir := copyLeaks(j); return []string{dir} }, nil},
}

// copySubjects copies the subjects that have a list of what is expected.
func copySubjects(j *run.Job) (dirs []string) {
	for _, s := range replaySubjects() {
		dirs = append(dirs, run.CopySubject(s, filepath.Join(j.Dir, s)))
	}
	return dirs
}

// A tierLoss is what becomes of the traces of a set without one tier.
type tierLoss struct {
	Predicted, Refuted int
	Lost               []string // findings that are predicted with all tiers only
	Seconds            float64  // processor time of the analysis
}

// tiers switches each tier of the analysis off in turn, and counts what is predicted no more, of
// the recorded run of each test. Nothing is replayed: what is predicted the judge has accepted.
func tiers(j *run.Job) bool {
	j.Parse()
	rows := run.LoadRows[map[string]tierLoss](j)
	for _, s := range tierSets {
		rows.Measure(s.name, func() map[string]tierLoss { return s.measure(j) })
	}
	j.Write(pages, "tiers.md", newTierPage(rows.Get))
	return true
}

// measure records the tests of a set, and analyzes their traces.
func (s tierSet) measure(j *run.Job) map[string]tierLoss {
	losses := make(map[string]tierLoss)
	for _, dir := range s.modules(j) {
		keep := run.Must(os.MkdirTemp(j.Dir, "keep-"))
		j.Log("recording %s", filepath.Base(dir))
		j.Predict(dir, slices.Concat(s.flags, []string{"-predict.runs=1", "-predict.explore=off", "-predict.keep=" + keep, "./..."})...)
		for _, file := range run.RecordedTraces(keep) {
			analyzeWithout(j, run.ReadTrace(file), losses)
		}
		run.Check(os.RemoveAll(keep))
	}
	return losses
}

// analyzeWithout analyzes a trace without each tier, and adds to what that loses.
func analyzeWithout(j *run.Job, t *trace.Trace, losses map[string]tierLoss) {
	var all []string
	for _, tier := range switchedOff {
		watch := run.Start()
		opts := analysis.Options{}
		if tier != "" {
			opts.DisabledTiers = []string{tier}
		}
		r := run.Must(analysis.Predict(j.Context(), t, opts))
		l := losses[tier]
		l.Seconds += watch.Lap().Seconds()
		var predicted []string
		for _, f := range r.Findings {
			switch f.Status {
			case bug.Predicted:
				predicted = append(predicted, f.Name)
			case bug.Infeasible:
				l.Refuted++
			}
		}
		if tier == "" {
			all = predicted
		}
		l.Predicted += len(predicted)
		for _, name := range all {
			if !slices.Contains(predicted, name) {
				l.Lost = append(l.Lost, strings.ReplaceAll(name, "\x00", "-"))
			}
		}
		losses[tier] = l
	}
}

// A tierLine is a tier on the page, with what is lost of each set.
type tierLine struct {
	Tier  string
	Sets  []tierLoss
	Total tierLoss
}

// newTierPage returns the lines of the page, and the names of the sets.
func newTierPage(get func(string) (map[string]tierLoss, bool)) (page struct {
	Sets  []string
	Lines []tierLine
}) {
	for _, tier := range switchedOff {
		line := tierLine{Tier: tier}
		for _, s := range tierSets {
			losses, ok := get(s.name)
			if !ok {
				continue
			}
			if tier == "" {
				page.Sets = append(page.Sets, s.name)
			}
			l := losses[tier]
			line.Sets = append(line.Sets, l)
			line.Total.Predicted += l.Predicted
			line.Total.Refuted += l.Refuted
			line.Total.Seconds += l.Seconds
			line.Total.Lost = append(line.Total.Lost, l.Lost...)
		}
		page.Lines = append(page.Lines, line)
	}
	return page
}
