package predictrt

import "testing"

// Occurrences of an event are found by their number, whatever their order in the plan.
func TestWant(t *testing.T) {
	w := &eventCounter{planned: []plannedEvent{{occurrence: 1}, {occurrence: 3, step: 7}}}
	w.count = 1
	if _, ok := w.nextPlanned(); ok {
		t.Error("the second occurrence is not in the plan")
	}
	w.count = 2
	if it, ok := w.nextPlanned(); !ok || it.step != 7 {
		t.Error("the third occurrence is in the plan")
	}
	w.count = 3
	if _, ok := w.nextPlanned(); ok {
		t.Error("the fourth occurrence is not in the plan")
	}
}

func TestPlanItem(t *testing.T) {
	start(t, modeReplay)
	a := plan("0.1")
	table := []*actor{a}
	for text, want := range map[string]bool{
		"0 1 5 2": true, "0 1 5 1": true, "1 1 5 1": false, "0 99 5 1": false, "0 1 5": false, "0 1 x 1": false, "0 1 5 1 1 1": false,
	} {
		if got := planItem("s", text, table); got != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
	items := a.counters[KindRead][5].planned
	if len(items) != 2 || items[0].occurrence != 1 || items[1].occurrence != 2 {
		t.Errorf("found %v, expected the occurrences in order", items)
	}
	// An access at a place of the standard library's is one that a call may leave out.
	planItem("s", "0 1 9223372036854775813 1", table)
	if len(insideSteps) != 1 {
		t.Error("an access inside the standard library is not known as such")
	}
}

func TestRegions(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds []uint8
		want  int
	}{
		{"outside", []uint8{KindRead}, 0},
		{"in a section", []uint8{KindAcquire, KindRead}, 1},
		{"after it", []uint8{KindAcquire, KindRelease}, 0},
		{"nested", []uint8{KindAcquire, KindAcquire, KindRelease}, 1},
		{"the second", []uint8{KindAcquire, KindRelease, KindRAcquire}, 2},
		{"a send ends it", []uint8{KindAcquire, KindSend}, 2},
		{"marked", []uint8{KindRegionBegin}, 1},
		{"marked and over", []uint8{KindRegionBegin, KindRegionEnd}, 0},
		{"a section in a marked one", []uint8{KindRegionBegin, KindAcquire, KindRelease}, 1},
		{"a release of what was not acquired", []uint8{KindRelease, KindAcquire}, 1},
	} {
		var r regionState
		for _, kind := range c.kinds {
			r.observe(kind)
		}
		if got := r.region(); got != c.want {
			t.Errorf("%s: found %d, expected %d", c.name, got, c.want)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[uint32]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 113: "113th"} {
		if got := ordinal(n); got != want {
			t.Errorf("found %s, expected %s", got, want)
		}
	}
}
