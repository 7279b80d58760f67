package reach

import "github.com/gopredict/gopredict/recorder/trace"

// This file names the objects whose making a trace tells of. The name of an object follows from what
// its maker has done before, which is the same in all runs, and not from its address.

// A making is how an object was made: as which one of its type, by a goroutine after one history.
type making struct {
	// The node that the goroutine was at; none for goroutines of others than the test.
	at int32
	// The path of such a goroutine.
	path string
	typ  uint32
	// How many the goroutine has made before, of that type and there.
	before int
}

// A madeObject is an object of a run.
type madeObject struct{ from, to, name uint64 }

// madeObjects are the objects that one run has made so far.
type madeObjects struct {
	program *Program
	left    []trace.Allocation // those that come later
	// The objects by the number of each of their pages, in the order in which they were made. The last
	// one at an address is the one that is there.
	byPage map[uint64][]madeObject
	counts map[making]int
}

func newMadeObjects(r *run) *madeObjects {
	return &madeObjects{program: r.Program, left: r.t.Allocations, byPage: make(map[uint64][]madeObject), counts: make(map[making]int)}
}

// advance adds the objects that were made before event i. The function at returns the node that a
// goroutine is at; ok is false if nobody knows.
func (m *madeObjects) advance(t *trace.Trace, i int, at func(trace.GID) (node int32, ok bool)) {
	for ; len(m.left) > 0 && int(m.left[0].Position) <= i; m.left = m.left[1:] {
		a := &m.left[0]
		// Of objects that share a block, only the address is known: a later one ends the one before.
		o := madeObject{from: a.Addr, to: a.Addr + uint64(a.Size)}
		if a.Size == 0 {
			o.to = (a.Addr | (sharedBlock - 1)) + 1
		}
		how := making{at: none, path: t.Goroutines[a.G].Name(), typ: a.Type}
		known := true
		if t.Goroutines[a.G].Test == m.program.test {
			if how.at, known = at(a.G); known {
				how.path = ""
			}
		}
		if known {
			n := m.counts[how]
			m.counts[how]++
			how.before = n
			o.name = m.program.nameOfMade(how, o.to-o.from)
		}
		for page := o.from >> trace.PageBits; page<<trace.PageBits < o.to; page++ {
			m.byPage[page] = append(m.byPage[page], o)
		}
	}
}

// sharedBlock is the size of the blocks that small objects share (unit: bytes).
const sharedBlock = 16

// nameOfMade returns the name of an object of some size.
func (p *Program) nameOfMade(how making, size uint64) uint64 {
	name, ok := p.made[how]
	if !ok {
		p.lastName += (size + nameSpace) &^ (nameSpace - 1)
		name = p.lastName
		p.made[how] = name
	}
	return name
}

// nameSpace is the distance of two names.
const nameSpace = 1 << 12

// at returns the name of an address in an object that the run has made: 0 if it is not known in this
// run. ok is false for other addresses.
func (m *madeObjects) at(address uint64) (name uint64, ok bool) {
	objects := m.byPage[address>>trace.PageBits]
	for k := len(objects) - 1; k >= 0; k-- {
		if o := &objects[k]; o.from <= address && address < o.to {
			if o.name == 0 {
				return 0, true
			}
			return o.name + address - o.from, true
		}
	}
	return 0, false
}
