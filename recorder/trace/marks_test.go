package trace

import (
	"slices"
	"testing"
)

func TestMarks(t *testing.T) {
	for _, marked := range [][]int{nil, {0}, {63, 64}, {0, 1, 62, 63, 64, 127, 128, 199}} {
		m := NewMarks(200, func(mark func(int)) {
			for _, i := range slices.Backward(marked) {
				mark(i)
			}
		})
		if m.Len() != len(marked) {
			t.Errorf("%v: expected %d marks, found %d", marked, len(marked), m.Len())
		}
		for i := range 200 {
			if want := slices.Index(marked, i); m.NumberOf(i) != want {
				t.Errorf("%v: expected event %d to have number %d, found %d", marked, i, want, m.NumberOf(i))
			}
		}
		var all []int
		for n, i := range m.All {
			if n != len(all) {
				t.Errorf("%v: expected number %d next, found %d", marked, len(all), n)
			}
			all = append(all, i)
		}
		if !slices.Equal(all, marked) {
			t.Errorf("expected %v, found %v", marked, all)
		}
	}
	if m := NewMarks(0, func(func(int)) {}); m.Len() != 0 {
		t.Errorf("expected no marks of no events, found %d", m.Len())
	}
}
