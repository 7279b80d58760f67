package reach

import (
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Program merges the runs of one test: it has one tree of nodes for each
// goroutine.
type Program struct {
	// The name of the test.
	test string
	// All nodes of all goroutines. The first one is the begin of the test; a
	// node that follows another one has a higher number.
	nodes []node
	// The goroutines of all runs, by their numbers here.
	goroutines []goroutine
	// The numbers of goroutines by their paths ("0.2.1").
	byPath map[string]int32
	// The sites of all runs, with one number for each.
	sites *trace.CommonSites
	// The pieces of memory that are accessed as a whole.
	extents []extent
	// Their numbers.
	byExtent map[extent]int32
	// By extent: the other ones that share memory with it.
	overlaps [][]int32
	// By extent: its value before the test, if a run has shown it.
	initial map[int32]uint64
	// By class: the names of the objects, by their numbers.
	objects [numClasses][]uint64
	// The numbers of the objects in their classes.
	byObject map[object]int32
	// By channel: how many elements it buffers.
	capacity map[int32]int
	// The channels with elements that no goroutine has sent, such as timers'.
	external map[int32]bool
	// The channels that are closed though no goroutine of the test has
	// closed them.
	closedBefore map[int32]bool
	// The locks that a goroutine holds as a reader while it may wait for
	// something.
	readersWait map[int32]bool
	// The hashes of the ends of runs, which are the behaviours.
	endHashes map[uint64]bool
	// The deadlocks that runs have shown.
	deadlocks map[string]bool
	// The edges that a run was made for and did not show.
	triedEdges map[edgeKey]bool
	// The reasons why the runs may not show everything, each once.
	doubts []string
	// The names of objects whose making is known.
	made map[making]uint64
	// Whether runs have told of the objects that they made.
	tellsMade bool
	// The last name that is not an address.
	lastName uint64
	// The number of runs that were added.
	runCount int
}

// A goroutine stands for the goroutines of all runs that have its path.
type goroutine struct {
	trace.Goroutine // its IDs are the program's numbers
}

// A node is the operation of a goroutine after one history.
type node struct {
	// The kind of the operation; None for a leaf, if no run has shown the
	// operation.
	kind trace.Kind
	// The goroutine.
	g int32
	// Where the operation is in the sources.
	site trace.SiteID
	// The number of the object or extent; of a fork that of the goroutine.
	obj int32
	// Flags that tell operations apart.
	flags trace.Flags
	// The bytes of an access.
	size uint32
	// What a write leaves in memory.
	stored content
	// The value of a write, or the delta of an Add.
	value uint64
	// There is no operation: the goroutine has ended.
	goroutineEnded bool
	// There is no operation: the goroutine has ended the program.
	endsProgram bool
	// The node was made for a goroutine that is blocked at the end of a run; no
	// event has shown it.
	isBlocked bool
	// The locks that the goroutine holds before the operation.
	held []held
	// The cases of a select.
	cases []selectCase
	// The first event of the operation in any run, with the program's numbers.
	event trace.Event
	// One edge for each content that the operation found.
	edges []edge
	// The condition, if the operation is the release in a wait for one; else
	// none.
	condition int32
	// The begin of the new goroutine, if the operation is a fork.
	childStart int32
}

// An edge leads from a node to the next one of its goroutine, if the operation
// of the node found some content.
type edge struct {
	// The content that the operation found: a value, a message, a case.
	found content
	// The next node.
	to int32
	// What an atomic update leaves in memory.
	stored content
	// The atomic update stores nothing: a compare-and-swap has failed.
	fails bool
	// The events up to the next node, which other goroutines cannot see.
	invisible []trace.Event
	// The first run that showed the edge.
	firstRun int
}

// A content is what memory or a message holds. Contents of equal values are
// equal. If no value is known, contents that the same operations have left
// are.
type content uint64

// An edgeKey identifies an edge, also one that no run has shown.
type edgeKey struct {
	node  int32
	found content
}

// A held is one side of a lock that a goroutine holds.
type held struct {
	// The number of the lock.
	lock int32
	// It is held on the reader side.
	reader bool
}

// A selectCase is a case of a select.
type selectCase struct {
	// The number of the channel; none of the nil channel.
	ch int32
	// It would send.
	send bool
}

// An extent is a piece of memory that is accessed as a whole. From is a name,
// size is in bytes.
type extent struct {
	from uint64
	size uint32
}

// A class is that of the objects that have numbers of their own.
type class uint8

const (
	ofLock class = iota
	ofCond
	ofChan
	ofGroup
	ofOnce
	numClasses
)

// An object identifies an object by its class and its name.
type object struct {
	class class
	name  uint64
}

// none stands for no node, object or number.
const none = -1

// keptFlags are those that tell operations apart. Others say what was found.
const keptFlags = trace.FlagMap | trace.FlagTry | trace.FlagDefault

// New returns the program of a test, of which nothing is known.
func New(test string) *Program {
	p := &Program{
		test: test, byPath: make(map[string]int32), sites: trace.NewCommonSites(),
		byExtent: make(map[extent]int32), initial: make(map[int32]uint64), byObject: make(map[object]int32), capacity: make(map[int32]int),
		external: make(map[int32]bool), closedBefore: make(map[int32]bool), readersWait: make(map[int32]bool), endHashes: make(map[uint64]bool), deadlocks: make(map[string]bool), triedEdges: make(map[edgeKey]bool), made: make(map[making]uint64), lastName: 1 << 56,
	}
	p.nodes = append(p.nodes, node{g: 0, obj: none, condition: none, childStart: none}) // where the test begins
	p.goroutine(trace.Goroutine{Test: test, Path: "0"})
	return p
}

// addDoubt notes a reason why not everything may be known, once.
func (p *Program) addDoubt(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, o := range p.doubts {
		if o == text {
			return
		}
	}
	p.doubts = append(p.doubts, text)
}

// goroutine returns the number of the goroutine with the path of its.
func (p *Program) goroutine(its trace.Goroutine) int32 {
	if g, ok := p.byPath[its.Path]; ok {
		return g
	}
	g := int32(len(p.goroutines))
	p.byPath[its.Path] = g
	its.ID, its.Parent = trace.GID(g), trace.GID(g)
	if k := strings.LastIndexByte(its.Path, '.'); k >= 0 {
		if parent, ok := p.byPath[its.Path[:k]]; ok {
			its.Parent = trace.GID(parent)
		}
	}
	p.goroutines = append(p.goroutines, goroutine{its})
	return g
}

// extent returns the number of a piece of memory. It finds the overlaps of a
// new one.
func (p *Program) extent(x extent) int32 {
	if k, ok := p.byExtent[x]; ok {
		return k
	}
	k := int32(len(p.extents))
	p.byExtent[x] = k
	p.overlaps = append(p.overlaps, nil)
	for o, other := range p.extents {
		if x.from < other.from+uint64(other.size) && other.from < x.from+uint64(x.size) {
			p.overlaps[k] = append(p.overlaps[k], int32(o))
			p.overlaps[o] = append(p.overlaps[o], k)
		}
	}
	p.extents = append(p.extents, x)
	return k
}

// object returns the number of an object among those of its class.
func (p *Program) object(c class, name uint64) int32 {
	o := object{c, name}
	k, ok := p.byObject[o]
	if !ok {
		k = int32(len(p.objects[c]))
		p.byObject[o] = k
		p.objects[c] = append(p.objects[c], name)
	}
	return k
}

// addLeaf adds a node whose operation no run has shown. The goroutine holds
// some locks there.
func (p *Program) addLeaf(g int32, holds []held) int32 {
	p.nodes = append(p.nodes, node{g: g, obj: none, condition: none, childStart: none, held: holds})
	return int32(len(p.nodes) - 1)
}

// edgeFor returns the edge of a node for some content, or nil if no run has
// found that there.
func (p *Program) edgeFor(n int32, found content) *edge {
	next := p.nodes[n].edges
	for k := range next {
		if next[k].found == found {
			return &next[k]
		}
	}
	// The first runs may not show the value of memory before the test. Their edges are
	// for untouched memory.
	if its := &p.nodes[n]; isLoad(its.kind) && found != untouched {
		if v, ok := p.initial[its.obj]; ok && found == valueContent(v) {
			return p.edgeFor(n, untouched) // it has found that before anybody knew what it was
		}
	}
	return nil
}

// mix returns a content that stands for two. It is a hash (splitmix64); the
// search ignores that hashes may collide.
func mix(a, b content) content {
	x := uint64(a)*0x9e3779b97f4a7c15 ^ (uint64(b) + 0x2545f4914f6cdd1d)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return content(x^x>>31) &^ isNumber
}

// isNumber is set in the contents that stand for values.
const isNumber content = 1 << 63

// The contents that are not made of others.
const (
	nothing      content = iota // the operation finds nothing
	untouched                   // memory is as it was before the test
	foundClosed                 // a receive found the channel closed
	panicked                    // the operation panicked
	runsFunction                // Once.Do runs its function
	timerFired                  // a timer has sent an element
	writerWaits                 // a writer begins to wait for the readers of a lock
)

// valueContent is the content of memory that holds a value.
func valueContent(v uint64) content { return mix(content(v), 1<<32) | isNumber }

// nodeContent is the content that a node leaves of which no value is known.
func nodeContent(n int32) content { return mix(content(n), 1<<33) }

// caseContent is what a select finds that takes a case.
func caseContent(k int32) content { return mix(content(k), 1<<34) }
