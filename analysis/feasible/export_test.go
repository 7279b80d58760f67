package feasible

import "github.com/gopredict/gopredict/recorder/trace"

// MarkEach has the judge keep states after so many steps each.
func (j *Judge) MarkEach(steps int) { j.last.least = steps }

// A Derivation is what the judge derives from a trace, for the comparison with package facts.
type Derivation struct {
	p *program
	s *state
}

// Derive derives it. No event is executed yet.
func Derive(t *trace.Trace) *Derivation {
	p := compiled(t)
	return &Derivation{p, p.initial()}
}

// Step executes the event at position i, and returns why that is impossible.
func (d *Derivation) Step(i int) string { return d.s.step(int32(i)) }

// Number is the number of what event i is on.
func (d *Derivation) Number(i int) int32 { return d.p.refs[i] }

// Operation is the operation that event i begins.
func (d *Derivation) Operation(i int) (channel int32, receive bool, rank uint64, ok bool) {
	if d.p.refs[i] == none {
		return none, false, 0, false
	}
	o := d.p.ops[d.p.refs[i]]
	return o.ch, o.recv, o.rank, true
}

// Channels is how many channels there are, Channel what is known of one.
func (d *Derivation) Channels() int { return len(d.p.chans) }

func (d *Derivation) Channel(n int) (capacity, sends, receives uint64, external, closed, made bool) {
	c := &d.p.chans[n]
	return c.cap, c.sends, c.recvs, c.external, c.closed, c.made
}

// FirstCase is the first sending case of the select at position i, or -1.
func (d *Derivation) FirstCase(i int) int32 { return d.p.firstCase(int32(i)) }

// OnceEnds says of each run of a Once's function whether it has ended.
func (d *Derivation) OnceEnds() []bool { return d.p.onceEnds }

// Posts is how many posts of the token come before event i, an await.
func (d *Derivation) Posts(i int) int { return int(d.p.counts[d.p.refs[i]].posts) }

// A Hold is a lock that a goroutine holds now.
type Hold struct {
	Lock   int32
	Shared bool
}

// Holds are those of a goroutine, the last one first.
func (d *Derivation) Holds(g trace.GID) (all []Hold) {
	for h := range d.s.locks.heldBy(g) {
		all = append(all, Hold{h.lock, h.shared})
	}
	return all
}

// Signalled reports whether a goroutine that waited for a condition was chosen.
func (d *Derivation) Signalled(g trace.GID) bool { return d.s.counters.signalled[g] }

// Count is the counter of WaitGroup n now.
func (d *Derivation) Count(n int32) int64 { return d.s.counters.groups[n] }

// Writes and Reads are how the judge sees an access.
func Writes(e *trace.Event) bool { return writes(e) }

func Reads(k trace.Kind) bool { return reads(k) }

// Interleavings yields the feasible orders of the events of t, as positions,
// that no further event can extend, until yield returns false. Orders of all
// events are among them, and such that end early because some goroutine would
// go another way than recorded, or is blocked; every feasible schedule is a
// prefix of one of them. Their number grows exponentially: this is an oracle
// for traces of some twenty events. The order is only lent to yield.
func Interleavings(t *trace.Trace, yield func(order []int) bool) {
	p := compiled(t)
	p.extend(p.initial(), make([]int, 0, len(t.Events)), yield)
}

// extend yields all orders that start with order, which leads to s. It
// returns false if yield did.
func (p *program) extend(s *state, order []int, yield func([]int) bool) bool {
	longest := true
	for _, next := range p.successors(s, s.clone) {
		longest = false
		if !p.extend(next.state, append(order, next.pos), yield) {
			return false
		}
	}
	return !longest || yield(order)
}
