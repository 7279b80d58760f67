package merged

import (
	"errors"
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// none stands for a node that does not exist.
const none = -1

// A Program is the concurrent trace program of several recordings of one test.
type Program struct {
	goroutines []trace.Goroutine // by number in the program
	number     map[string]int    // by path
	sites      *trace.CommonSites
	tests      []string
	nodes      []node
	roots      []int32
	initial    map[uint64]memoryContent // by address: the memory before the test
	unsigned   map[uint64]bool          // by address: formulas read it as an unsigned number
}

// A node is an event of one alternative of its goroutine, which some of the recordings share.
type node struct {
	trace.Event         // with the program's numbers and addresses, and the values of one recording
	prev        int32   // the event before, in its goroutine, or the go statement; or none
	next        []int32 // the events after: alternatives of the goroutine, and starts of others
	// formula is what it stores or decides, and reads are the nodes of the values in that; nil if
	// it is as recorded.
	formula *dataflow.Formula
	reads   []int32
	// tracked says that what it finds goes into formulas only; mayDiffer that what it finds or
	// leaves need not be as recorded.
	tracked, mayDiffer     bool
	sources                []int32 // the writes that it found in the recordings, or none
	firstNumber, endNumber int32   // the node and those after it have the numbers from firstNumber to endNumber
}

// maxNodes bounds the events of a program: the formula grows faster than they do.
const maxNodes = 4000

// errTooLarge is why recordings are not merged.
var errTooLarge = errors.New("merged: the recordings have too many events")

// Merge makes the program of what the test with that name did in the recordings, in time
// proportional to them. It fails if that is too much, or if they have no formulas.
func Merge(runs []*Recording, test string) (*Program, error) {
	p := &Program{
		number: make(map[string]int), sites: trace.NewCommonSites(),
		initial: make(map[uint64]memoryContent), unsigned: make(map[uint64]bool),
	}
	var rs []*testPart
	for _, r := range runs {
		p := r.partOfTest(test)
		if len(p.events) > maxNodes {
			return nil, errTooLarge
		}
		rs = append(rs, p)
	}
	for k, r := range rs {
		if r.flow = runs[k].values(); r.flow.IsEmpty() {
			return nil, fmt.Errorf("merged: recording %d of %s has no formulas", k, test)
		}
	}
	nameObjects(rs)
	pieces := partlyAccessed(rs)
	for _, r := range rs {
		p.add(r, pieces)
		if len(p.nodes) > maxNodes {
			return nil, errTooLarge
		}
	}
	p.numberNodes()
	return p, nil
}

// numberNodes numbers the nodes in depth-first order, so that follows is fast.
func (p *Program) numberNodes() {
	n := int32(0)
	var visit func(at int32)
	visit = func(at int32) {
		p.nodes[at].firstNumber = n
		n++
		for _, next := range p.nodes[at].next {
			visit(next)
		}
		p.nodes[at].endNumber = n
	}
	for _, root := range p.roots {
		visit(root)
	}
}

// follows reports whether b follows a in each run that reaches b.
func (p *Program) follows(a, b int32) bool {
	return a != b && p.nodes[a].firstNumber < p.nodes[b].firstNumber && p.nodes[b].firstNumber < p.nodes[a].endNumber
}

// exclusive reports whether no run reaches both a and b: they are on different alternatives of one
// goroutine.
func (p *Program) exclusive(a, b int32) bool {
	return p.nodes[a].G == p.nodes[b].G && a != b && !p.follows(a, b) && !p.follows(b, a)
}
