package mergesort

import (
	"slices"
	"testing"
)

func TestSort(t *testing.T) {
	s := &Sorter{Limit: 5}
	a := make([]int, 24)
	for k := range a {
		a[k] = k * 7 % 24
	}
	s.Sort(a)
	if !slices.IsSorted(a) {
		t.Errorf("not sorted: %v", a)
	}
}
