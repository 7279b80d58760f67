package causality

import (
	"cmp"
	"slices"
)

// Partition sorts properties, by index, into groups that share no part of the
// trace between their barriers and their last vertices. What is in one part
// adds nothing to the graph of another one (Theorem 2), so that each group can
// have its own. No group has more than MaxLabels properties.
func (m *Model) Partition(props []Property) (groups [][]int) {
	if len(props) == 1 {
		return [][]int{{0}}
	}
	type part struct {
		lo, hi int32
		k      int
	}
	parts := make([]part, len(props))
	for k := range props {
		c := m.findBarrier(props[k:k+1], m.involved(props[k:k+1]), m.effortLeft())
		m.spent.Add(int64(c.effort))
		parts[k] = part{min(c.lowest, c.end), c.end, k}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.lo, b.lo) })
	end := int32(-1)
	for _, p := range parts {
		n := len(groups)
		if n == 0 || p.lo >= end || len(groups[n-1]) == MaxLabels {
			groups, n = append(groups, nil), n+1
		}
		groups[n-1] = append(groups[n-1], p.k)
		end = max(end, p.hi)
	}
	return groups
}
