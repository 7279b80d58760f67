package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// This file looks at all matches of patterns at the places of a candidate, as pairs.go does at
// all pairs.

// maxTried is how many instances of a candidate are tried before all pairs or matches are looked
// at, for patterns and where there are many races: one of these may be much simpler to come to.
const maxTried = 2

// many reports whether c is a pattern that has more matches than instances.
func (p *predictor) many(c detect.Candidate) bool { return len(c.Tuples) > 0 && !c.Exhaustive }

// crowded reports whether the candidate at hand is a race that may take so little that
// all of its instances are not tried, where there are more: neighbours are as good.
func (p *predictor) crowded(c detect.Candidate) bool {
	return p.neighboured(c) && p.its.Steps < smallWork
}

// neighboured reports whether c is a race of which neighbours are tried before its further instances: where
// the nearest ones lead nowhere, those are as far from it. Who wants more schedules than these have needs all.
func (p *predictor) neighboured(c detect.Candidate) bool {
	return len(c.Places) > 0 && !c.Exhaustive && p.opts.known(c.Name) != Tried && p.opts.Schedules <= maxTried
}

// nearest returns c with the instances that are tried at first.
func (p *predictor) nearest(c detect.Candidate) detect.Candidate {
	if p.many(c) || p.neighboured(c) {
		c.Instances = c.Instances[:min(len(c.Instances), maxTried)]
	}
	return c
}

// allMatches looks at all matches of those undecided candidates of patterns that have more of
// them than instances, of which of has what the detectors say. It returns those that are
// undecided then.
func (p *predictor) allMatches(ctx context.Context, fs []Finding, of []detect.Candidate, undecided []candidate) ([]candidate, error) {
	var tuples []anomaly.Tuple
	for _, c := range undecided {
		if p.many(c.Candidate) {
			tuples = append(tuples, c.Tuples...)
		}
	}
	if len(tuples) == 0 || !p.opts.uses(StepMatches) {
		return undecided, nil
	}
	direct := p.work.Part(p.work.Steps - p.work.Steps/proofsPart)
	braider := anomaly.NewBraider(p.t, p.o, anomaly.FindRegions(p.t, p.o), tuples)
	first := make([]int, len(undecided)) // by candidate: the number of its first tuple
	n := 0
	for k, c := range undecided {
		if first[k] = n; p.many(c.Candidate) {
			n += len(c.Tuples)
		}
	}
	wanted := func(k int) bool {
		return p.many(undecided[k].Candidate) && fs[undecided[k].finding].Status == bug.Undecided
	}
	if err := p.inRounds(ctx, direct, undecided, wanted, func(k int) {
		c := &undecided[k]
		p.decideMatches(&fs[c.finding], c, braider, first[k])
		of[c.finding] = c.Candidate
		if p.opts.known(c.Name) == Tried {
			c.open = nil
		}
	}); err != nil {
		return nil, err
	}
	return stillOpen(fs, undecided), nil
}

// decideMatches looks at all matches of c, whose tuples are those of braider from first on, and
// notes in the finding f if that decides c. If not, and there are not too many of them left, these
// are its instances from now on.
func (p *predictor) decideMatches(f *Finding, c *candidate, braider *anomaly.Braider, first int) {
	var braids []anomaly.Braid
	over := false
	for k := range c.Tuples {
		var bs []anomaly.Braid
		whole := false
		for most := firstAccesses; !whole; most *= 8 {
			if !p.charge() {
				return
			}
			before := braider.Spent()
			bs, whole = braider.Of(first+k, most)
			p.its.Spend(braidStep * int64(braider.Spent()-before))
			if g, ok := p.recorded(c, bs); ok {
				*f = g
				return
			}
		}
		braids, over = append(braids, bs...), over || bs == nil
	}
	var tried []detect.Instance
	if len(c.Instances) > maxTried {
		tried = c.Instances
		if p.decideFurther(f, c); f.Status == bug.Predicted {
			return
		}
	}
	if over || len(braids) == 0 || p.opts.known(c.Name) == Tried {
		return
	}
	var all []detect.Instance
	for _, b := range braids {
		if p.its.Spend(int64(b.Chunks())); p.its.Over() {
			return
		}
		for events := range b.Matches(p.must()) {
			if len(all) == maxLeft {
				return
			}
			all = append(all, detect.Instance{Accesses: events, Pattern: b.Pattern})
		}
	}
	if groups, ok := p.groupsOf(braids); ok {
		p.decideLeft(f, c, all, tried, groups)
	}
}

// firstAccesses is how many accesses at the places of a pattern are looked at first: where the pattern
// came often, it did early.
const firstAccesses = 1 << 12

// braidStep is how many steps it takes to look at an access or a chunk for braids.
const braidStep = 4

// recorded looks for a match that came in the order of the pattern, the one to which fewest events
// of its tests led.
func (p *predictor) recorded(c *candidate, braids []anomaly.Braid) (Finding, bool) {
	var all []detect.Instance
	for _, b := range braids {
		for events := range b.Recorded() {
			all = append(all, detect.Instance{Accesses: events, Pattern: b.Pattern})
			break
		}
	}
	way := func(v detect.Instance) int { return v.Accesses[len(v.Accesses)-1] - p.planner.From(v.Accesses...) }
	slices.SortStableFunc(all, func(a, b detect.Instance) int { return cmp.Compare(way(a), way(b)) })
	for _, v := range all[:min(len(all), maxMet)] {
		if !p.charge() {
			break
		}
		if f, _ := p.decide(detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: []detect.Instance{v}}); f.Status == bug.Predicted {
			return f, true
		}
	}
	return Finding{}, false
}

// groupsOf is groups for matches.
func (p *predictor) groupsOf(braids []anomaly.Braid) (groups []detect.Instance, ok bool) {
	var all []detect.Instance
	for _, b := range braids {
		first, last := b.Ends()
		if !slices.Equal(p.tests.Of(first), p.tests.Of(last)) {
			return nil, false
		}
		all = append(all, detect.Instance{Accesses: first, Pattern: b.Pattern})
	}
	return p.grouped(all)
}
