package order

import (
	"iter"
	"slices"
)

// Overlaps says which of some locations, sorted by address, share a byte. One access may cover
// millions of others. Those after a location that share a byte with it come directly after it,
// so that their number is enough. For those before it there is a list, which neighbours mostly
// have in common. Overlaps is nil for a location that is alone in its group, as most are.
//
// Example: the locations are bytes [0,4), [0,8) and [4,8). Location 0 has one after it that overlaps,
// location 1 has one, too. The lists of those before are [0] for 1, and [1] for 2.
type Overlaps struct {
	ranges      []overlapRange
	listsBefore []int32 // from 1 on, each with its length in front
}

// An overlapRange is which other locations a location overlaps with.
type overlapRange struct {
	listBefore int32 // where the list of those before it is, 0 for none
	countAfter int32 // how many of those after it
}

// findOverlaps sweeps over locations sorted by address.
func findOverlaps(locs []Location) *Overlaps {
	if len(locs) == 1 {
		return nil
	}
	o := &Overlaps{make([]overlapRange, len(locs)), make([]int32, 1, 4)}
	var active []int32 // earlier locations that may reach further
	for i := range locs {
		active = slices.DeleteFunc(active, func(a int32) bool {
			if locs[a].end() > locs[i].Obj {
				return false
			}
			o.ranges[a].countAfter = int32(i) - a - 1
			return true
		})
		switch {
		case len(active) == 0:
		case slices.Equal(active, o.before(int32(i)-1)):
			o.ranges[i].listBefore = o.ranges[i-1].listBefore
		default:
			o.ranges[i].listBefore = int32(len(o.listsBefore))
			o.listsBefore = append(append(o.listsBefore, int32(len(active))), active...)
		}
		active = append(active, int32(i))
	}
	for _, a := range active {
		o.ranges[a].countAfter = int32(len(locs)) - a - 1
	}
	return o
}

// before returns those before location i.
func (o *Overlaps) before(i int32) []int32 {
	at := o.ranges[i].listBefore
	if at == 0 {
		return nil
	}
	return o.listsBefore[at+1:][:o.listsBefore[at]]
}

// Of yields the locations that share a byte with location i, itself included, ascending.
func (o *Overlaps) Of(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		last := i
		if o != nil {
			for _, k := range o.before(i) {
				if !yield(k) {
					return
				}
			}
			last += o.ranges[i].countAfter
		}
		for k := i; k <= last; k++ {
			if !yield(k) {
				return
			}
		}
	}
}

// Count returns how many locations share a byte with location i, itself included.
func (o *Overlaps) Count(i int32) int {
	if o == nil {
		return 1
	}
	return len(o.before(i)) + 1 + int(o.ranges[i].countAfter)
}

// Share reports whether locations i and k share a byte.
func (o *Overlaps) Share(i, k int32) bool {
	i, k = min(i, k), max(i, k)
	return i == k || o != nil && k-i <= o.ranges[i].countAfter
}

// Len returns of how many locations o is, which is not nil.
func (o *Overlaps) Len() int { return len(o.ranges) }

// AllOverlaps returns those of the locations of all groups, which have numbers one group after the other.
func AllOverlaps(groups []Group) *Overlaps {
	locations, lists := 0, 1
	for k := range groups {
		if locations += len(groups[k].Locations); groups[k].Overlaps != nil {
			lists += len(groups[k].Overlaps.listsBefore) - 1
		}
	}
	all := &Overlaps{make([]overlapRange, 0, locations), make([]int32, 1, lists)}
	for k := range groups {
		if groups[k].Overlaps == nil {
			all.ranges = append(all.ranges, overlapRange{})
		} else {
			all.add(groups[k].Overlaps)
		}
	}
	return all
}

// add adds the locations of a group.
func (o *Overlaps) add(group *Overlaps) {
	first, moved := int32(len(o.ranges)), int32(len(o.listsBefore))-1
	for _, r := range group.ranges {
		if r.listBefore > 0 {
			r.listBefore += moved
		}
		o.ranges = append(o.ranges, r)
	}
	for left := group.listsBefore[1:]; len(left) > 0; {
		n := left[0]
		o.listsBefore = append(o.listsBefore, n)
		for _, k := range left[1 : 1+n] {
			o.listsBefore = append(o.listsBefore, first+k)
		}
		left = left[1+n:]
	}
}
