package order_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func TestLockSetsAgainstScan(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		bySet := make(map[order.LockSet][]order.Lock)
		for i, e := range tr.Events {
			var want []int32
			for a := range i + 1 {
				if tr.Events[a].G == e.G && endOf(tr, a) >= i {
					want = append(want, int32(a))
				}
			}
			if got := o.Held(i); !slices.Equal(got, want) {
				t.Fatalf("Held(%d) = %v, want %v", i, got, want)
			}
			if got, want := o.Outermost(i), outermost(tr, i, len(want) > 0); got != want {
				t.Fatalf("Outermost(%d) = %d, want %d", i, got, want)
			}
			set := o.LockSet(i)
			if got, want := o.Locks(set), protecting(tr, o, i); !slices.Equal(got, want) {
				t.Fatalf("LockSet(%d) = %v, want %v", i, got, want)
			}
			bySet[set] = o.Locks(set)
			if s, ok := o.Section(i); ok != (endOf(tr, i) >= 0) || ok && s.Rel != -1 && s.Rel != endOf(tr, i) {
				t.Fatalf("Section(%d) = %v, %v", i, s, ok)
			}
		}
		for a, x := range bySet {
			for b, y := range bySet {
				if a != b && slices.Equal(x, y) {
					t.Fatalf("equal sets %d and %d", a, b)
				}
				want := false
				for _, l := range x {
					for _, k := range y {
						want = want || l.Obj == k.Obj && !(l.Shared && k.Shared)
					}
				}
				if o.Exclude(a, b) != want {
					t.Fatalf("Exclude(%v, %v) = %v", x, y, !want)
				}
			}
		}
	})
}

// protecting returns the locks whose sections have event i.
func protecting(tr *trace.Trace, o *order.Order, i int) []order.Lock {
	var locks []order.Lock
	for _, s := range o.Sections() {
		g, in := tr.Events[s.Acq].G, false
		if s.Rel >= 0 && tr.Events[s.Rel].G != g {
			in = (i == s.Acq || o.Before(s.Acq, i)) && (i == s.Rel || o.Before(i, s.Rel))
		} else {
			in = tr.Events[i].G == g && s.Acq <= i && i <= endOf(tr, s.Acq)
		}
		if in && !slices.Contains(locks, s.Lock) {
			locks = append(locks, s.Lock)
		}
	}
	slices.SortFunc(locks, func(a, b order.Lock) int { return cmp.Or(cmp.Compare(a.Obj, b.Obj), cmp.Compare(shared(a), shared(b))) })
	return locks
}

func shared(l order.Lock) int {
	if l.Shared {
		return 1
	}
	return 0
}

// endOf returns where what event a acquired is released, len(tr.Events) for
// never, -1 if a acquires nothing.
func endOf(tr *trace.Trace, a int) int {
	e := tr.Events[a]
	if e.Kind != trace.Acquire && e.Kind != trace.RAcquire {
		return -1
	}
	inner := 0 // read locks of the goroutine that it has acquired since, and not released
	for r := a + 1; r < len(tr.Events); r++ {
		f := tr.Events[r]
		switch {
		case f.Obj != e.Obj:
		case e.Kind == trace.Acquire && f.Kind == trace.Release:
			return r
		case e.Kind == trace.RAcquire && f.Kind == trace.RAcquire && f.G == e.G:
			inner++
		case e.Kind == trace.RAcquire && f.Kind == trace.RRelease && f.G == e.G:
			if inner == 0 {
				return r
			}
			inner--
		}
	}
	return len(tr.Events)
}

func outermost(tr *trace.Trace, i int, held bool) int {
	if !held {
		return -1
	}
	for s := i; s > 0; s-- {
		// Is a lock held after s-1?
		held = false
		for a := range s {
			held = held || tr.Events[a].G == tr.Events[i].G && endOf(tr, a) > s-1
		}
		if !held {
			return s
		}
	}
	return 0
}

func TestHandOver(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		1 begin
		0 acq m
		0 w x
		1 rel m   // a mutex as a semaphore: the other one releases
		0 w x     // no longer protected
		1 acq m
		1 w x
	`)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 0, 1, 1, 0, 0, 1, 1} {
		if got := len(o.Held(i)); got != want {
			t.Errorf("event %d: %d locks held, want %d", i, got, want)
		}
	}
	if s, _ := o.Section(2); s.Rel != 4 {
		t.Errorf("the section ends at %d, want 4", s.Rel)
	}
}

// The section goes on in the goroutine that releases, and not in the one that has
// handed the lock over.
func TestHandedOnSection(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 acq m
		0 w x
		0 fork 1
		0 w y     // may come after the release
		1 begin
		1 w x
		1 rel m
		1 w z
	`)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 1, 1, 0, 1, 1, 1, 0} {
		if got := len(o.Locks(o.LockSet(i))); got != want {
			t.Errorf("event %d: protected by %d locks, want %d", i, got, want)
		}
	}
}

// Of two read locks of one goroutine, a release ends the inner one: the lock of line 10 is
// held at the write, and was acquired there.
func TestInnerReadLockEndsFirst(t *testing.T) {
	tr := tracetest.Parse(t, "0 racq m @10\n0 racq m @11\n0 rrel m @12\n0 w x @13")
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	held := o.Held(3)
	if len(held) != 1 || tr.Sites[tr.Events[held[0]].Site].Line != 10 {
		t.Errorf("at the write, the locks of %v are held, want that of line 10", held)
	}
	if inner, _ := o.Section(1); inner.Rel != 2 {
		t.Errorf("the inner section ends at %d, want 2", inner.Rel)
	}
}

func TestReadersDoNotExclude(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 racq m
		1 racq m
		0 rrel m
		1 rrel m
		0 acq m
	`)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	if o.LockSet(0) != o.LockSet(1) || o.Exclude(o.LockSet(0), o.LockSet(1)) {
		t.Error("two readers exclude each other")
	}
	if !o.Exclude(o.LockSet(0), o.LockSet(4)) {
		t.Error("a writer does not exclude a reader")
	}
}

// A lock that is held at one access and needed before the other refutes the pair,
// whichever of the two is named first.
func TestLocked(t *testing.T) {
	const figure5 = "1 acq l\n1 post p\n1 w x\n1 rel l\n2 await p\n2 acq l\n2 rel l\n2 r x"
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"figure 5 of PECAN", figure5, true},
		{"nothing orders the sections", strings.Replace(figure5, "await p", "await q", 1), false},
		{"another lock", strings.Replace(figure5, "2 acq l\n2 rel l", "2 acq m\n2 rel m", 1), false},
		{"readers", strings.NewReplacer("acq", "racq", "rel", "rrel").Replace(figure5), false},
		{"a reader keeps a writer out", strings.NewReplacer("1 acq", "1 racq", "1 rel", "1 rrel").Replace(figure5), true},
	} {
		o, err := order.New(tracetest.Parse(t, test.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]int{{2, 7}, {7, 2}} {
			if held, needed, ok := o.ExcludedByHistory(pair[0], pair[1]); ok != test.want || ok && (held != 0 || needed != 5) {
				t.Errorf("%s: Locked(%d, %d) is %d, %d, %v", test.name, pair[0], pair[1], held, needed, ok)
			}
		}
	}
}

// Readers of one lock exclude nobody but its writers.
func TestExcludes(t *testing.T) {
	reader, writer, other := order.Lock{Obj: 1, Shared: true}, order.Lock{Obj: 1}, order.Lock{Obj: 2}
	for _, c := range []struct {
		a, b order.Lock
		want bool
	}{
		{reader, reader, false},
		{reader, writer, true},
		{writer, reader, true},
		{writer, writer, true},
		{writer, other, false},
	} {
		assert.Equal(t, c.want, c.a.Excludes(c.b), "%v %v", c.a, c.b)
	}
}
