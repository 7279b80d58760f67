package explore

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
)

// This file replays the runs beyond the recordings in which tests have failed. They wait until all
// tests were run on, for two reasons: other bugs that were confirmed by then may be why they
// fail, and their replays wait for what the tests wait for, so that they run beside each other.

// A suspect is a run in which a test has failed.
type suspect struct {
	of     *confirmation
	f      finding
	sites  string   // of f
	detail []string // what the run has printed of it
}

// maxSuspects is how many runs are kept that have failed at the same place.
const maxSuspects = maxAlikeEver

// suspect keeps the run of a, if the test has failed in it at a place at which it is not known to.
func (x *frontier) suspect(a *attempt) {
	if !x.wants(bug.Failure) {
		return
	}
	for _, f := range a.next.failures() {
		s := suspect{a.next, f, sitesOf(f.witness), a.Detail}
		if f.Tests[0] == x.test && !x.done[s.sites] && x.suspects.at(s.sites) < maxSuspects {
			x.suspects = append(x.suspects, s)
		}
	}
}

// suspects are those of a package that are kept, in the order of the runs.
type suspects []suspect

// at is how many of them have failed at the same place.
func (all suspects) at(sites string) (n int) {
	for _, s := range all {
		if s.sites == sites {
			n++
		}
	}
	return n
}

// suspected is how many events the kept runs have.
func (e *explored) suspected() (events int) {
	for _, s := range e.suspects {
		events += len(s.of.trace.Events)
	}
	return events
}

// shown is how many bugs of the packages are confirmed, or suspected to make a test fail.
func (e *explored) shown() int {
	places := make(map[string]bool)
	for _, s := range e.suspects {
		places[s.sites] = true
	}
	return len(e.done) + len(places)
}

// confirmSuspects confirms that tests fail that have done so in the kept runs and pass in another
// one: of each place the first run, beside each other, then the second one of those places of which
// none was confirmed, and so on.
func (e *explored) confirmSuspects(ctx context.Context) error {
	left := e.suspects
	e.suspects = nil
	for len(left) > 0 {
		var now, later suspects
		for _, s := range left {
			switch {
			case e.done[s.sites] || e.passing(s.f.Tests[0]) == nil || e.explained(s):
			case now.at(s.sites) > 0:
				later = append(later, s)
			default:
				now = append(now, s)
			}
		}
		if len(now) == 0 {
			return nil
		}
		if err := now[0].of.inTime(ctx, func(limit context.Context) error { return e.replaySuspects(ctx, limit, now) }); err != nil {
			return err
		}
		left = later
	}
	return nil
}

// replaySuspects replays runs beside each other and tells in their order of what came of that.
func (e *explored) replaySuspects(ctx, limit context.Context, all suspects) error {
	told, errs := make([]reported, len(all)), make([]error, len(all))
	each(attemptsAtOnce, len(all), func(i int) {
		told[i], errs[i] = all[i].of.replayFailure(limit, all[i].f)
	})
	for i, s := range all {
		if _, err := e.tellFailure(ctx, limit, s.of, s.f, told[i], errs[i]); err != nil {
			return err
		}
	}
	return nil
}

// explained reports whether a confirmed bug makes the test print what it has printed in the run of s.
func (e *explored) explained(s suspect) bool {
	ran := report.Finding{Package: e.run.Package.Path, Test: s.f.Tests[0], Detail: s.detail}
	return len(placesIn(s.detail)) > 0 && slices.ContainsFunc(e.Report.Findings, func(o report.Finding) bool { return explains(&o, &ran) })
}
