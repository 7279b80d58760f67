package explore

import (
	"fmt"
	"sync/atomic"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A tally is what is known of the candidates of one package, by their names
// (analysis.Finding.Name), from all recordings so far. It is why a further recording
// costs little: what is settled is not searched for, and what was tried without a
// schedule is not solved again (analysis.Options.Known).
type tally struct {
	ids        map[string]string // of witnesses; the values are names
	tried      map[string]bool   // some recording had it as a candidate
	settled    map[string]bool   // replayed, or confirmed before
	told       map[string]int    // by report.Finding.Sites: index in report.Report.Findings, of which no order changes before Finish
	left       []left            // in the order of the replays
	seen       map[uint64]bool   // fingerprints of tests
	recordings atomic.Int32      // further ones, also those that showed nothing: they number the files
	unreached  []unreached       // what settle has to look into
	taken      []string          // files of committed witnesses
	saved      map[string]saved  // by the sites of the confirmed bug
	drafts     []draft           // of the witnesses that were confirmed
	ends       map[string]int    // how often what has blocked goroutines in a run was replayed, by its sites
}

// A left candidate is one whose replays have left their schedules: recorded alone, its
// test may show one that the replays keep to.
type left struct {
	test, name string
	order      recorder.Order
}

func newTally() *tally {
	return &tally{
		ids: make(map[string]string), tried: make(map[string]bool), settled: make(map[string]bool),
		told: make(map[string]int), seen: make(map[uint64]bool), saved: make(map[string]saved), ends: make(map[string]int),
	}
}

// of says what is known of a candidate, for the analysis of a further trace.
func (y *tally) of(name string) analysis.Known {
	switch {
	case y.settled[name]:
		return analysis.Settled
	case y.tried[name]:
		return analysis.Tried
	}
	return analysis.Unknown
}

// id returns the ID of a witness for the candidate of that name: id, or with a number
// if a candidate of another name has that.
func (y *tally) id(id, name string) string {
	free := id
	for n := 2; y.ids[free] != "" && y.ids[free] != name; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	y.ids[free] = name
	return free
}

// take takes over what was predicted from a recording.
func (y *tally) take(r *analysis.Result) {
	for _, f := range r.Findings {
		y.tried[f.Name] = true
	}
}

// note takes over what the replays of a finding have shown, as c has recorded it.
func (y *tally) note(f finding, told report.Finding, c *confirmation) {
	if told.Replays == 0 {
		return
	}
	y.settled[f.Name] = true
	if told.Status == bug.Confirmed || c.alone || c.tests == 1 {
		return
	}
	for _, test := range f.Tests {
		y.left = append(y.left, left{test, f.Name, c.run.Order})
	}
}

// news reports whether t shows another run of some test than those before, and notes
// all of them.
func (y *tally) news(t *trace.Trace) bool {
	fresh := false
	for _, sum := range fingerprints(t) {
		fresh = fresh || !y.seen[sum]
		y.seen[sum] = true
	}
	return fresh
}
