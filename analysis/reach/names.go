package reach

import "github.com/gopredict/gopredict/recorder/trace"

// A naming maps the addresses and channels of one run to names in the program.
//
// The allocator gives an object another address in each run. An object that
// the run has made is named after how it was made (made.go). Of others, and in
// runs that do not tell what they made, those of operations with the same
// history get the same name. An object without such an operation is named
// after its neighbours: the fields of an object have the same offsets in all
// runs.
type naming struct {
	// The program that has the names.
	program *Program
	// The objects that the run has made so far.
	made *madeObjects
	// The names of addresses.
	byAddress map[uint64]uint64
	// The names that are in use.
	usedNames map[uint64]bool
	// The names of channels, by the trace's numbers.
	byChannel map[uint64]uint64
}

func newNaming(r *run) *naming {
	return &naming{program: r.Program, made: newMadeObjects(r), byAddress: make(map[uint64]uint64), usedNames: make(map[uint64]bool), byChannel: map[uint64]uint64{0: 0}}
}

// nameAt returns the name of an address. An address without one gets a new
// name.
func (n *naming) nameAt(address uint64) uint64 {
	own, ok := n.known(address)
	if !ok {
		if own = n.byNeighbour(address); n.usedNames[own] {
			n.program.lastName += nameSpace
			own = n.program.lastName
		}
		n.bind(address, own)
	}
	return own
}

// known returns the name of an address that has one.
func (n *naming) known(address uint64) (own uint64, ok bool) {
	if own, _ := n.made.at(address); own != 0 {
		return own, true
	}
	own, ok = n.byAddress[address]
	return own, ok
}

// byNeighbour returns the name that an address has if a neighbour with a name
// belongs to the same object. Without such a neighbour it is the address
// itself.
func (n *naming) byNeighbour(address uint64) uint64 {
	// The nearest neighbour decides: it most likely belongs to the same object.
	for d := uint64(1); d <= neighbourhood && onHeap(address); d++ {
		for _, by := range [...]uint64{address - d, address + d} {
			if own, ok := n.byAddress[by]; ok && onHeap(own) {
				return own + (address - by)
			}
		}
	}
	return address
}

// bind gives a name to an address, unless the address has one or the name is
// in use.
func (n *naming) bind(address, own uint64) {
	if _, made := n.made.at(address); made {
		return
	}
	if _, ok := n.byAddress[address]; !ok && !n.usedNames[own] {
		n.byAddress[address], n.usedNames[own] = own, true
	}
}

// word returns the value of an event. An address is replaced by its name, so
// that values are equal in runs in which the same is stored.
func (n *naming) word(e *trace.Event) uint64 {
	if e.Size != 8 {
		return e.Val
	}
	if own, ok := n.known(e.Val); ok {
		return own
	}
	if onHeap(e.Val) {
		return n.nameAt(e.Val)
	}
	return e.Val
}

// hasWord reports whether the value of an event is known. Of more than a word
// there is only a length or a digest, which may be of addresses.
func hasWord(e *trace.Event) bool { return e.HasValue() && e.Size <= 8 }

// channel returns the name of a channel. A channel that no goroutine of the
// test has made keeps its number.
func (n *naming) channel(id uint64) uint64 {
	if own, ok := n.byChannel[id]; ok {
		return own
	}
	return id
}

// onHeap reports whether v may be an address that the allocator has chosen.
// Variables of packages are at the same addresses in all runs.
func onHeap(v uint64) bool { return v >= 1<<32 && v < 1<<47 }

// align binds the addresses of a run to the names in the program, for each
// goroutine as long as its history is known. The events are executed after
// that, as their execution needs the names.
func (n *naming) align(r *run) {
	at := map[trace.GID]int32{}
	whereIs := func(g trace.GID) (int32, bool) {
		where, known := at[g]
		return where, (known || r.t.Goroutines[g].Path == "0") && where != none
	}
	stored := make(map[uint64]bool) // addresses: a read there may find what this run has stored
	for i := range r.t.Events {
		e := &r.t.Events[i]
		if !r.ofTest[i] || isInvisible(e.Kind) {
			continue
		}
		first := e.Kind.IsAccess() && !stored[e.Obj]
		stored[e.Obj] = stored[e.Obj] || e.Kind.IsAccess() && e.Kind.IsWrite()
		n.made.advance(r.t, i, whereIs)
		where, known := whereIs(e.G)
		if !known {
			continue
		}
		its := &n.program.nodes[where]
		at[e.G] = none
		if its.kind != e.Kind || its.size != e.Size && e.Kind.IsAccess() || n.program.sites.Sites[its.site].Key != r.t.Sites[e.Site].Key {
			continue
		}
		n.bindLike(its, e)
		if was, ok := n.program.initial[its.obj]; ok && first && isLoad(e.Kind) && !e.Kind.IsWrite() {
			n.bindValue(e, was)
		}
		if e.Kind == trace.Fork {
			at[trace.GID(e.Obj)] = its.childStart
		}
		at[e.G] = n.nodeAfter(its, e)
	}
}

// bindLike binds the address of an event, and the address that it stores, to
// the names at its node.
func (n *naming) bindLike(its *node, e *trace.Event) {
	if its.kind != e.Kind {
		return
	}
	if e.Kind.HasAddress() {
		n.bind(e.Obj, n.program.nameOf(its))
	}
	if isStore(e) {
		n.bindValue(e, its.value)
	}
}

// bindValue binds the address that an event stores or finds to the name that
// it has in other runs.
func (n *naming) bindValue(e *trace.Event, own uint64) {
	if hasWord(e) && e.Size == 8 && onHeap(e.Val) && (onHeap(own) || own >= 1<<56) {
		n.bind(e.Val, own)
	}
}

// nodeAfter returns the node that follows the event of a node, or none if that
// is not certain.
func (n *naming) nodeAfter(its *node, e *trace.Event) int32 {
	v := e.Val
	if own, ok := n.known(v); ok && e.Size == 8 {
		v = own
	}
	for k := range its.edges {
		x := &its.edges[k]
		same := false
		switch {
		case e.Kind == trace.AtomicRMW:
			same = hasWord(e) && x.stored == valueContent(v) && x.fails == (e.Flags&trace.FlagFailed != 0)
		case isLoad(e.Kind):
			same = hasWord(e) && x.found == valueContent(v)
		case e.Kind == trace.SelectDone:
			same = x.found == caseContent(int32(e.Val))
		case e.Kind.Completes() && e.Kind.Receives():
			same = e.Val == 0 && x.found == foundClosed
		default:
			same = x.found != panicked
		}
		if same {
			return x.to
		}
	}
	return none
}

// nameOf returns the name of the object or memory of a node.
func (p *Program) nameOf(n *node) uint64 {
	switch {
	case n.obj == none:
		return 0
	case n.kind.IsAccess():
		return p.extents[n.obj].from
	}
	return p.objects[classOf(n.kind)][n.obj]
}
