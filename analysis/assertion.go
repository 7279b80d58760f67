package analysis

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// assertions returns the candidates for assertions that can fail: conditions of
// which one outcome leads to a failure, and which follow from what was read. They
// are of tests that have passed. r gets to know if they cannot be looked at.
func (p *predictor) assertions(r *Result) []candidate {
	if !p.opts.wants("assertion") {
		return nil
	}
	if len(p.t.Events) > trace.MaxFlow {
		r.TooLong = slices.ContainsFunc(p.t.Events, func(e trace.Event) bool {
			s := p.t.Sites[e.Site]
			return s.Fails != trace.Neither && s.Formula != ""
		})
		return nil
	}
	failed := make(map[string]bool)
	for _, e := range p.t.Events {
		if e.Kind == trace.TestEnd && e.Val == 1 {
			failed[p.t.Goroutines[e.G].Test] = true
		}
	}
	cs := newBySite("assertion")
	for i := range p.t.Events {
		e := &p.t.Events[i]
		fails := p.t.Sites[e.Site].Fails
		if fails == trace.Neither || (fails == trace.IfTrue) == (e.Val != 0) || p.flow.At(i) == nil {
			continue
		}
		if test := p.t.Goroutines[e.G].Test; test == "" || failed[test] {
			continue
		}
		cs.add(e.Site, i)
	}
	return p.merge(cs.candidates)
}

// byOthers takes the assertions off the findings, from number first on, that fail,
// or may fail, because of reads that are part of another predicted bug: whoever mends that
// mends them, or will see them again.
func (p *predictor) byOthers(r *Result, first int) {
	others := make(map[trace.SiteID]bool)
	for _, f := range r.Findings[:first] {
		if f.Status == Predicted {
			for _, s := range f.Sites {
				others[s] = true
			}
		}
	}
	kept := r.Findings[:first]
	for _, f := range r.Findings[first:] {
		if slices.ContainsFunc(p.deviations(&f), func(i int) bool { return others[p.t.Events[i].Site] }) {
			r.Raced++
			continue
		}
		kept = append(kept, f)
	}
	r.Findings = kept
}

// deviations returns the reads that find something else than recorded in the
// first schedule of f, or up to where its run departs.
func (p *predictor) deviations(f *Finding) []int {
	if f.Status != Predicted {
		return f.departing
	}
	s := f.Schedules[0].Schedule()
	if p.judge.CheckFrom(s.From, s.Steps, f.Accesses) != nil {
		return nil
	}
	return p.judge.Deviations()
}
