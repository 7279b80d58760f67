package causality

import (
	"fmt"
	"testing"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
)

func modelOf(t testing.TB, text string) *Model {
	t.Helper()
	tr := tracetest.Parse(t, text)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return New(tr, o)
}

func TestBarrier(t *testing.T) {
	for _, test := range []struct {
		name, text string
		i, j       int
		want       string // by goroutine, from goroutine 1 on
	}{
		{"directly before the property", `
			1 w x
			2 w x
			1 w x
			2 w x`, 2, 3, "[0 1]"},
		{"the last lock-free states", `
			1 acq l
			1 rel l
			2 acq l
			2 rel l
			1 acq l
			1 w y
			2 w x
			1 w x
			1 rel l`, 6, 7, "[4 2]"},
		{"a signal in a critical section, which a waiter gets (Algorithm 2)", `
			2 acq m
			2 acq l
			2 wait c#0
			2 rel l
			1 acq l
			1 signal c#1
			1 w x
			1 rel l
			2 wake c#0
			2 acq l
			2 rel l
			2 rel m
			2 w z
			2 w x`, 6, 13, "[4 0]"},
		{"a send directly behind it, before which the channel is not closed", `
			1 send c/1
			1 sent c#1/1
			2 close c
			2 w y
			1 w x
			2 w x`, 4, 5, "[1 2]"},
		{"nothing comes back over it, whatever goes across", `
			1 acq l
			1 post p
			1 rel l
			2 await p
			2 w y
			1 w y
			1 w x
			2 w x`, 6, 7, "[5 4]"},
		{"a third goroutine in between", `
			3 acq m
			1 acq l
			1 post p
			1 w x
			3 await p
			3 rel m
			3 w z
			1 rel l
			2 w y
			2 w x`, 3, 9, "[1 8 0]"},
		{"a lock that is held for good, and nobody else has", `
			1 acq l
			1 w y
			2 w y
			2 w x
			3 w x`, 3, 4, "[5 2 4]"},
		{"one that others had before that", `
			2 acq l
			2 rel l
			2 post p
			1 await p
			1 acq l
			1 w y
			2 w y
			2 w x
			3 w x`, 7, 8, "[9 6 8]"},
		{"one that others had in the recorded order only", `
			2 acq l
			2 rel l
			1 acq l
			1 w y
			2 w y
			2 w x
			3 w x`, 5, 6, "[2 4 6]"},
		{"one that is handed over, and the second time held for good", `
			1 acq l
			2 rel l
			1 acq l
			1 w y
			2 w y
			2 w x
			3 w x`, 5, 6, "[7 4 6]"},
	} {
		m := modelOf(t, test.text)
		at := m.Barrier(m.Meeting(test.i, test.j))
		if got := fmt.Sprint(at[1:]); got != test.want {
			t.Errorf("%s: barrier %s, want %s", test.name, got, test.want)
		}
	}
}

func TestPartition(t *testing.T) {
	m := modelOf(t, `
		1 w x
		1 w x
		2 w x
		2 w x
		1 acq l
		1 w x
		1 w x
		1 rel l
		2 w x
		2 w x
		1 w y
		2 w y
		1 w x
		2 w x`)
	got := fmt.Sprint(m.Partition([]Property{m.Meeting(6, 9), m.Meeting(1, 3), m.Meeting(12, 13), m.Meeting(5, 9)}))
	if want := "[[1] [0 3] [2]]"; got != want {
		t.Errorf("partition %s, want %s", got, want)
	}
}
