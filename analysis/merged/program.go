package merged

import (
	"errors"
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// none stands for "no node".
const none = -1

// A Program is the concurrent trace program of several recordings of one test.
type Program struct {
	recordings int
	goroutines []trace.Goroutine // by their number in the program
	number     map[string]int    // by path
	sites      *trace.CommonSites
	tests      []string
	nodes      []node
	roots      []int32
	initial    map[uint64]content // by address: what was there before the test
	unsigned   map[uint64]bool    // by address: formulas read it as an unsigned number
}

// A node is an event that some of the recordings have in common, on one way of its
// goroutine.
type node struct {
	trace.Event         // with the program's numbers and addresses, and the values of one recording
	runs        []int   // the recordings that have it, ascending
	prev        int32   // what comes before: in its goroutine, or the go statement; or none
	next        []int32 // what comes behind, in one goroutine each in another recording
	// formula says what it stores, or decides, and reads which nodes that speaks of; nil if
	// that is as recorded.
	formula *dataflow.Formula
	reads   []int32
	// tracked says that what it finds goes into formulas only; open that what it finds or
	// leaves need not be what was recorded.
	tracked, open bool
	sources       []int32 // what it found in the recordings: writes, or none
	in, out       int32   // the node and those behind it are numbered from in and below out
}

// maxNodes bounds the events of a program: the formula grows faster than they do.
const maxNodes = 4000

// errTooLarge is why recordings are not merged.
var errTooLarge = errors.New("merged: the recordings have too many events")

// Merge makes the program of what the test with that name did in the recordings, in
// time proportional to them. It fails if that is too much, or they tell nothing of values.
func Merge(runs []*Recording, test string) (*Program, error) {
	p := &Program{
		recordings: len(runs), number: make(map[string]int), sites: trace.NewCommonSites(),
		initial: make(map[uint64]content), unsigned: make(map[uint64]bool),
	}
	var rs []*part
	for k, r := range runs {
		p := r.of(test, k)
		if len(p.events) > maxNodes {
			return nil, errTooLarge
		}
		rs = append(rs, p)
	}
	for k, r := range rs {
		if r.flow = runs[k].values(); r.flow.Empty() {
			return nil, fmt.Errorf("merged: recording %d of %s has no formulas", k, test)
		}
	}
	align(rs)
	pieces := inPieces(rs)
	for _, r := range rs {
		p.add(r, pieces)
		if len(p.nodes) > maxNodes {
			return nil, errTooLarge
		}
	}
	p.span()
	return p, nil
}

// span numbers the nodes so that those behind each other are found.
func (p *Program) span() {
	n := int32(0)
	var visit func(at int32)
	visit = func(at int32) {
		p.nodes[at].in = n
		n++
		for _, next := range p.nodes[at].next {
			visit(next)
		}
		p.nodes[at].out = n
	}
	for _, root := range p.roots {
		visit(root)
	}
}

// after reports whether b comes after a in each run that comes to b.
func (p *Program) after(a, b int32) bool {
	return a != b && p.nodes[a].in < p.nodes[b].in && p.nodes[b].in < p.nodes[a].out
}

// apart reports whether no run comes to both a and b: they are on different ways of one
// goroutine.
func (p *Program) apart(a, b int32) bool {
	return p.nodes[a].G == p.nodes[b].G && a != b && !p.after(a, b) && !p.after(b, a)
}

func isRead(e *trace.Event) bool {
	return e.Kind == trace.Read || e.Kind == trace.AtomicLoad || e.Kind == trace.AtomicRMW
}

func isWrite(e *trace.Event) bool { return e.Kind.IsWrite() && e.Flags&trace.FlagFailed == 0 }
