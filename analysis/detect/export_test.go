package detect

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/property"
)

// Levels returns, by level, the cuts of the events of run that are consistent, each as the
// positions of its events and the state of the monitor, and whether some were left out.
func Levels(in *Input, p *property.Property, run []int) (levels [][]string, truncated bool) {
	l := newLattice(in, p, run)
	text := func(n *latticeCut) string {
		var events []int
		for lane, count := range n.counts {
			for _, k := range l.byGoroutine[lane][:count] {
				events = append(events, run[k])
			}
		}
		slices.Sort(events)
		return fmt.Sprint(events, n.state)
	}
	var violated []string
	for level := l.firstLevel(); len(level)+len(violated) > 0; {
		cuts := violated
		for _, n := range level {
			cuts = append(cuts, text(n))
		}
		levels = append(levels, cuts)
		violated = nil
		level = l.nextLevel(level, func(n *latticeCut) { violated = append(violated, "violated by "+text(n)) })
	}
	return levels, l.truncated
}
