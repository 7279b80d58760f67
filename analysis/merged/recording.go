package merged

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Recording is the trace of one run.
type Recording struct {
	t    *trace.Trace
	flow *dataflow.Flow // nil until it is needed
}

// NewRecording prepares a trace for merging. It is for one goroutine at a time.
func NewRecording(t *trace.Trace) *Recording { return &Recording{t: t} }

// values returns the data flow of the trace.
func (r *Recording) values() *dataflow.Flow {
	if r.flow == nil {
		r.flow = dataflow.New(r.t)
	}
	return r.flow
}

// A testPart is what a recording has of one test.
type testPart struct {
	t        *trace.Trace
	flow     *dataflow.Flow
	isInTest map[trace.GID]bool // goroutines of the test
	events   []int32            // of these goroutines, ascending
	naming   *naming
	posts    map[uint64]map[trace.GID]bool // by token: the goroutines that have posted it
}

// memoryContent is what some memory holds.
type memoryContent struct {
	val   uint64
	known bool
}

// partOfTest returns the part of one test, without its data flow.
func (r *Recording) partOfTest(test string) *testPart {
	p := &testPart{t: r.t, isInTest: make(map[trace.GID]bool), posts: make(map[uint64]map[trace.GID]bool)}
	for g, its := range r.t.Goroutines {
		p.isInTest[trace.GID(g)] = its.Test == test
	}
	for i := range r.t.Events {
		if p.isInTest[r.t.Events[i].G] {
			p.events = append(p.events, int32(i))
		}
	}
	return p
}

// name returns the program's name of the object of e; 0 if it has no address.
func (r *testPart) name(e *trace.Event) uint64 {
	if !e.Kind.HasAddress() {
		return 0
	}
	return r.naming.of(e.Obj)
}

// value returns the value of an access or operand; an address by the program's name.
func (r *testPart) value(e *trace.Event) uint64 {
	if own, ok := r.naming.names[e.Val]; ok && e.Size == 8 {
		return own
	}
	return e.Val
}

// valueFound returns what the read at position i has found, if that is known.
func (r *testPart) valueFound(i int32) (v uint64, known bool) {
	e := &r.t.Events[i]
	if e.Kind == trace.AtomicRMW && e.Flags&trace.FlagFailed == 0 {
		return r.flow.ValueBefore(r.t, int(i))
	}
	return e.Val, e.HasValue()
}

// awaitsOthers reports whether the event at position i awaits a post of another goroutine of the test.
func (r *testPart) awaitsOthers(i int32) bool {
	e := &r.t.Events[i]
	others := r.posts[e.Obj]
	return e.Obj == 0 || len(others) > 1 || len(others) == 1 && !others[e.G]
}

func (r *testPart) notePost(e *trace.Event) {
	if r.posts[e.Obj] == nil {
		r.posts[e.Obj] = make(map[trace.GID]bool)
	}
	r.posts[e.Obj][e.G] = true
}

// A naming names the objects of a recording, by address, as the program does: by their addresses in
// the first recording that has them.
type naming struct {
	names map[uint64]uint64 // by address
	taken map[uint64]bool   // names that are in use
	fresh uint64            // the last name that is no address
}

// of returns the name of what is at an address. An object that no event has matched with one of
// another recording keeps its address, as global variables do; if that is in use, it gets a new
// name.
func (n *naming) of(address uint64) uint64 {
	own, ok := n.names[address]
	if !ok {
		if own = address; n.taken[own] {
			n.fresh += 1 << 12
			own = n.fresh
		}
		n.setName(address, own)
	}
	return own
}

func (n *naming) setName(address, own uint64) {
	if _, ok := n.names[address]; !ok && !n.taken[own] {
		n.names[address], n.taken[own] = own, true
	}
}

// nameObjects names the objects of each recording: objects are the same if events with the same past in
// their goroutines access them.
func nameObjects(rs []*testPart) {
	for k, r := range rs {
		r.naming = &naming{names: make(map[uint64]uint64), taken: make(map[uint64]bool), fresh: (uint64(k) + 1) << 56}
		for _, before := range rs[:k] {
			r.nameLike(before)
		}
		for _, i := range r.events {
			r.name(&r.t.Events[i])
		}
	}
}

// nameLike names objects of r as o does, as long as goroutines of the same path do the same in
// both.
func (r *testPart) nameLike(o *testPart) {
	next := make(map[string][]int32) // by path: the next events of o
	for _, i := range o.events {
		path := o.t.Goroutines[o.t.Events[i].G].Path
		next[path] = append(next[path], i)
	}
	for _, i := range r.events {
		e := &r.t.Events[i]
		path := r.t.Goroutines[e.G].Path
		if len(next[path]) == 0 {
			continue
		}
		its := &o.t.Events[next[path][0]]
		if e.Kind != its.Kind || e.Size != its.Size || r.t.Sites[e.Site].Key != o.t.Sites[its.Site].Key {
			next[path] = nil
			continue
		}
		next[path] = next[path][1:]
		if e.Kind.HasAddress() {
			r.naming.setName(e.Obj, o.naming.of(its.Obj))
		}
	}
}

// partlyAccessed returns the names of the memory that the tests write and that is not always
// accessed as a whole, by the tests alone, and as one variable.
func partlyAccessed(rs []*testPart) map[uint64]bool {
	type extent struct{ from, size uint64 }
	var all []extent
	written, bad := make(map[uint64]bool), make(map[uint64]bool)
	for _, r := range rs {
		if len(r.events) == 0 {
			continue
		}
		generations := trace.NewGenerations(r.t)
		of := make(map[uint64]int32)
		for i := int(r.events[0]); i < len(r.t.Events); i++ {
			e := &r.t.Events[i]
			if !e.Kind.IsAccess() {
				continue
			}
			if !r.isInTest[e.G] {
				if own, ok := r.naming.names[e.Obj]; ok && e.Stores() {
					bad[own] = true
				}
				continue
			}
			own, generation := r.name(e), generations.Of(i)
			if before, ok := of[own]; ok && before != generation {
				bad[own] = true
			}
			of[own] = generation
			written[own] = written[own] || e.Stores()
			all = append(all, extent{own, uint64(max(e.Size, 1))})
		}
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.size, b.size)) })
	all = slices.Compact(all)
	for k, x := range all {
		for _, y := range all[k+1:] {
			if y.from >= x.from+x.size {
				break
			}
			bad[x.from] = bad[x.from] || written[x.from] || written[y.from]
			bad[y.from] = bad[x.from] || bad[y.from]
		}
	}
	return bad
}
