package explore

import (
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
)

// bounds are the bounds that were reached in some packages. The report has a line for each: a
// reader of many packages wants to know how much was left out, and how to go on.
type bounds map[ledger.Bound]*reachedBound

// A reachedBound is a bound that was reached.
type reachedBound struct {
	packages []string
	notDone  int // in all packages
}

// add adds the bounds that were reached in the package of a ledger.
func (b bounds) add(l *ledger.Ledger) {
	for which, n := range l.Bounds {
		if b[which] == nil {
			b[which] = new(reachedBound)
		}
		b[which].packages = append(b[which].packages, l.FirstRun.Package.Path)
		b[which].notDone += n
	}
}

// warnings returns a line for each bound that was reached. What was not done because the time
// was over has the time of clock.
func (b bounds) warnings(clock *budget.Clock) (all []string) {
	for _, which := range []ledger.Bound{ledger.ReplaysUsedUp, ledger.TimeOver, ledger.ManyPatterns, ledger.LongTests} {
		r := b[which]
		if r == nil {
			continue
		}
		notReplayed := fmt.Sprintf("%s: %d predicted bugs were not replayed, as ", r.where(), r.notDone)
		switch which {
		case ledger.ReplaysUsedUp:
			all = append(all, notReplayed+"the replays of their tests have cost what a test has by default: -predict.runs=7 replays all")
		case ledger.TimeOver:
			all = append(all, notReplayed+clock.TimeOverText()+": a longer one replays more")
		case ledger.ManyPatterns:
			all = append(all, r.where()+": "+finding.TruncatedWarning)
		case ledger.LongTests:
			all = append(all, r.where()+": "+finding.TooLongWarning)
		}
	}
	return all
}

// where names the packages: one, or how many, and the first of them.
func (r *reachedBound) where() string {
	n := len(r.packages)
	switch first := r.packages[:min(n, maxListedPackages)]; {
	case n == 1:
		return first[0]
	case n == len(first):
		return fmt.Sprintf("%d packages (%s)", n, strings.Join(first, ", "))
	default:
		return fmt.Sprintf("%d packages (%s, …)", n, strings.Join(first, ", "))
	}
}
