package solver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program is a made-up run of goroutines that lock, read and write, encoded as
// analysis/symbolic does: program order, sections of one lock apart, and reads
// that see the recorded write or another of the same value.
type program struct {
	f          *Formula
	rand       *rand.Rand
	operations []operation
	facts      []Bool
	free       []Bool
}

type operation struct {
	event     Event
	goroutine int
	location  int // -1: none
	write     bool
	value     int
	section   int // of the goroutine's lock, -1: none
}

type section struct {
	lock             int
	acquire, release Event
	goroutine        int
}

// newProgram makes a run of the given number of events. A share of the events,
// in thousandths, are accesses of shared locations or lock operations.
func newProgram(seed uint64, goroutines, events, share, locations, locks int) *program {
	p := &program{f: NewFormula(), rand: rand.New(rand.NewPCG(seed, 2))}
	last := make([]Event, goroutines)
	began := make([]bool, goroutines)
	value := make([]int, locations)
	open := make([]int, goroutines) // section, or -1
	holder := make([]int, locks)
	for i := range holder {
		holder[i] = -1
	}
	for g := range open {
		open[g] = -1
	}
	var sections []section
	step := func(g int) Event {
		e := p.f.Event(fmt.Sprint("e", len(p.f.events)))
		if began[g] {
			p.facts = append(p.facts, p.f.Before(last[g], e))
		}
		last[g], began[g] = e, true
		return e
	}
	for range events {
		g := p.rand.IntN(goroutines)
		e := step(g)
		if p.rand.IntN(1000) >= share {
			continue
		}
		switch n := p.rand.IntN(10); {
		case n < 3 && open[g] < 0:
			if l := p.rand.IntN(locks); holder[l] < 0 {
				holder[l], open[g] = g, len(sections)
				sections = append(sections, section{l, e, e, g})
			}
		case n < 5 && open[g] >= 0:
			s := &sections[open[g]]
			s.release = e
			holder[s.lock], open[g] = -1, -1
		default:
			o := operation{event: e, goroutine: g, location: p.rand.IntN(locations), write: n%2 == 0, section: open[g]}
			if o.write {
				value[o.location] = p.rand.IntN(3)
			}
			o.value = value[o.location]
			p.operations = append(p.operations, o)
		}
	}
	for g := range open {
		if open[g] >= 0 {
			sections[open[g]].release = step(g)
		}
	}
	p.exclude(sections)
	p.keepReads()
	return p
}

func (p *program) exclude(sections []section) {
	for i, a := range sections {
		for _, b := range sections[:i] {
			if a.lock == b.lock && a.goroutine != b.goroutine {
				p.free = append(p.free, p.f.Or(p.f.Before(a.release, b.acquire), p.f.Before(b.release, a.acquire)))
			}
		}
	}
}

func (p *program) keepReads() {
	f := p.f
	for _, r := range p.operations {
		if r.write || p.rand.IntN(4) == 0 { // not every read matters
			continue
		}
		var writes []operation
		for _, w := range p.operations {
			if w.write && w.location == r.location {
				writes = append(writes, w)
			}
		}
		var choices []Bool
		if r.value == 0 {
			var initial []Bool
			for _, w := range writes {
				initial = append(initial, f.Before(r.event, w.event))
			}
			choices = append(choices, f.And(initial...))
		}
		for _, w := range writes {
			if w.value != r.value {
				continue
			}
			seen := []Bool{f.Before(w.event, r.event)}
			for _, other := range writes {
				if other.event != w.event {
					seen = append(seen, f.Or(f.Before(other.event, w.event), f.Before(r.event, other.event)))
				}
			}
			choices = append(choices, f.And(seen...))
		}
		p.free = append(p.free, f.Or(choices...))
	}
}

// questions returns pairs of accesses, each asked whether the second can come
// right before the first.
func (p *program) questions(n int) (all [][]Bool) {
	for tries := 0; len(all) < n && tries < 100*n; tries++ {
		a := p.operations[p.rand.IntN(len(p.operations))]
		b := p.operations[p.rand.IntN(len(p.operations))]
		if a.goroutine == b.goroutine || a.location != b.location || !a.write && !b.write || a.event > b.event {
			continue
		}
		all = append(all, []Bool{p.f.Before(b.event, a.event)})
	}
	return all
}

// sizes are those of the papers' tables, and one beyond.
var sizes = []struct {
	name                                        string
	goroutines, events, share, locations, locks int
}{
	{"banking", 10, 1000, 300, 20, 10},
	{"indexer", 25, 7482, 60, 40, 20},
	{"dense", 25, 7482, 200, 100, 40},
	{"long", 50, 100000, 8, 100, 40},
}

func BenchmarkEngines(b *testing.B) {
	engines := []struct {
		name string
		new  func(*Formula) (Engine, error)
	}{
		{"builtin", func(f *Formula) (Engine, error) { return NewBuiltin(f), nil }},
		{"z3", NewZ3},
	}
	for _, size := range sizes {
		p := newProgram(1, size.goroutines, size.events, size.share, size.locations, size.locks)
		questions := p.questions(20)
		for _, engine := range engines {
			b.Run(size.name+"/"+engine.name, func(b *testing.B) {
				for b.Loop() {
					e, err := engine.new(p.f)
					require.NoError(b, err)
					e.Assert(slices.Concat(p.facts, p.free)...)
					sat, undecided := 0, 0
					for _, q := range questions {
						answer, err := e.Check(context.Background(), &Budget{Steps: 5 * Second}, q...)
						require.NoError(b, err)
						switch answer {
						case Sat:
							sat++
						case Unknown:
							undecided++
						}
					}
					e.Close()
					b.ReportMetric(float64(sat), "sat")
					b.ReportMetric(float64(undecided), "undecided")
				}
			})
		}
	}
}

// newCounter makes a run in which goroutines read a counter and write what they
// read plus one, some times each, every time under a lock or not; then one more
// goroutine, after all, reads it. Values are expressions over reads. The question
// is whether the last read can find less than all of the additions.
func newCounter(goroutines, times int, locked bool) (f *Formula, assert []Bool, lost Bool) {
	f = NewFormula()
	type access struct {
		read, write Event
		value       Int
		goroutine   int
	}
	var accesses []access
	end := f.Event("end")
	for g := range goroutines {
		for k := range times {
			name := fmt.Sprintf("%d.%d", g, k)
			a := access{f.Event("read " + name), f.Event("write " + name), f.Int("read " + name), g}
			assert = append(assert, f.Before(a.read, a.write), f.Before(a.write, end))
			if k > 0 {
				assert = append(assert, f.Before(accesses[len(accesses)-1].write, a.read))
			}
			for _, b := range accesses {
				if locked && b.goroutine != g {
					assert = append(assert, f.Or(f.Before(a.write, b.read), f.Before(b.write, a.read)))
				}
			}
			accesses = append(accesses, a)
		}
	}
	sees := func(at Event, value Int) {
		var from []Bool
		initial := []Bool{f.Eq(value, f.Const(0))}
		for _, w := range accesses {
			initial = append(initial, f.Before(at, w.write))
			choice := []Bool{f.Before(w.write, at), f.Eq(value, f.Add(w.value, f.Const(1)))}
			for _, o := range accesses {
				choice = append(choice, f.Or(f.Before(o.write, w.write), f.Before(at, o.write)))
				if o == w {
					choice = choice[:len(choice)-1]
				}
			}
			from = append(from, f.And(choice...))
		}
		assert = append(assert, f.Or(append(from, f.And(initial...))...))
	}
	for _, a := range accesses {
		sees(a.read, a.value)
	}
	last := f.Int("last")
	sees(end, last)
	return f, assert, f.Lt(last, f.Const(int64(goroutines*times)))
}

func BenchmarkCounter(b *testing.B) {
	for _, size := range []struct{ goroutines, times int }{{2, 2}, {3, 2}, {5, 2}, {5, 5}, {10, 5}} {
		for _, locked := range []bool{false, true} {
			for name, engine := range map[string]func(*Formula) (Engine, error){
				"builtin": func(f *Formula) (Engine, error) { return NewBuiltin(f), nil }, "z3": NewZ3,
			} {
				b.Run(fmt.Sprintf("%dx%d locked=%v/%s", size.goroutines, size.times, locked, name), func(b *testing.B) {
					for b.Loop() {
						f, assert, lost := newCounter(size.goroutines, size.times, locked)
						e, err := engine(f)
						require.NoError(b, err)
						e.Assert(assert...)
						answer, err := e.Check(context.Background(), &Budget{Steps: 5 * Second}, lost)
						require.NoError(b, err)
						e.Close()
						b.ReportMetric(float64(answer), "answer")
					}
				})
			}
		}
	}
}
