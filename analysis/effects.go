package analysis

import (
	"maps"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// dropEffects takes off the findings, from number first on and below last, what is only an effect of other
// bugs (detect.Detector.Effects): assertions that fail, or may fail, because of reads
// that are part of another predicted bug, or where another assertion has failed before.
// Whoever mends that mends them, or will see them again.
func (p *predictor) dropEffects(r *Result, first, last int) {
	others := maps.Clone(p.settledSites)
	for _, f := range r.Findings[:first] {
		if f.Status == bug.Predicted {
			for _, s := range f.Sites {
				others[s] = true
			}
		}
	}
	part := func(i int) bool { return others[p.trace.Events[i].Site] }
	fails := make(map[trace.SiteID]bool) // assertions of which a failure is predicted
	for _, f := range r.Findings[first:last] {
		if f.Status == bug.Predicted {
			fails[p.trace.Events[f.Accesses[0]].Site] = true
		}
	}
	kept := r.Findings[:first]
	for _, f := range r.Findings[first:last] {
		own := slices.DeleteFunc(slices.Clone(f.Departures), func(d *Departure) bool {
			return slices.ContainsFunc(d.events, part) || fails[p.trace.Events[d.last()].Site]
		})
		if slices.ContainsFunc(p.deviations(&f), part) || len(own) == 0 && len(f.Departures) > 0 {
			r.PartOfRace++
			continue
		}
		f.Departures = own
		kept = append(kept, f)
	}
	r.Findings = append(kept, r.Findings[last:]...)
}

// deviations returns the reads that find something else than recorded in the first
// schedule of f.
func (s *subject) deviations(f *Finding) []int {
	if f.Status != bug.Predicted {
		return nil
	}
	schedule := f.Schedules[0].Schedule()
	if s.judge().CheckFrom(schedule.From, schedule.Steps, f.Accesses) != nil {
		return nil
	}
	return s.judge().Deviations()
}

// FollowsFrom returns the sites of the reads that the condition of event i of t follows
// from, and of the writes that these have found, as far as formulas tell. Where none
// tells, it may follow from all that came before.
func SitesInfluencing(t *trace.Trace, i int) map[trace.SiteID]bool {
	flow := dataflow.New(t)
	sites, seen := make(map[trace.SiteID]bool), make(map[int32]bool)
	if flow.InstanceAt(i) == nil {
		for k := range t.Events[:i] {
			sites[t.Events[k].Site] = true
		}
		return sites
	}
	work := []int32{int32(i)}
	for len(work) > 0 && len(seen) < maxFollowed {
		in := flow.InstanceAt(int(work[0]))
		work = work[1:]
		if in == nil {
			continue
		}
		for _, r := range in.Reads {
			if r < 0 || seen[r] {
				continue
			}
			seen[r] = true
			sites[t.Events[r].Site] = true
			for w := r - 1; w >= 0; w-- {
				if e := &t.Events[w]; e.Kind.IsWrite() && e.Obj == t.Events[r].Obj {
					sites[e.Site] = true
					work = append(work, w)
					break
				}
			}
		}
	}
	return sites
}
