package reach

import (
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Program is what the runs of one test have shown of it.
type Program struct {
	test         string
	nodes        []node
	goroutines   []goroutine
	byPath       map[string]int32
	sites        *trace.CommonSites
	extents      []extent
	byExtent     map[extent]int32
	overlaps     [][]int32            // by extent: those that share memory with it
	initial      map[int32]uint64     // by extent: the value that was there before the test
	objects      [numClasses][]uint64 // names
	byObject     map[object]int32     // their numbers
	capacity     map[int32]int        // by channel
	external     map[int32]bool       // channels with elements that no goroutine has sent
	closedBefore map[int32]bool       // channels that were closed before the test
	readersWait  map[int32]bool       // locks of which readers wait for something
	ends         map[uint64]bool      // ends of runs
	deadlocks    map[string]bool      // where goroutines block for ever, in some run
	tried        map[edgeKey]bool     // was run to without coming there
	doubts       []string             // what is not known, once each
	lastName     uint64               // the last name that is no address
	runsWith     map[uint64]runSet    // by name: the runs that have it
	valueNames   map[uint64]bool      // names that were found or stored
	runCount     int                  // that were added
}

// A goroutine is one of all runs.
type goroutine struct {
	trace.Goroutine // with the program's numbers
}

// A node is an operation that a goroutine comes to after one history.
type node struct {
	kind      trace.Kind // None: nobody has seen what comes here
	g         int32
	site      trace.SiteID
	obj       int32 // number of the object or extent; of a fork the goroutine
	flags     trace.Flags
	size      uint32
	stored    content      // of a write
	word      uint64       // its value; of Add the delta
	ended     bool         // nothing comes: the goroutine ends here
	exits     bool         // likewise, and the program with it
	isBlocked bool         // of kind Acquire: made of what a run tells of who is blocked
	held      []held       // locks that the goroutine holds before it
	cases     []selectCase // of a select
	event     trace.Event
	edges     []edge
	wakes     int32 // of the release in a wait: the condition; or none
	child     int32 // of a fork: where the new goroutine begins
}

// An edge is what came of a node: what it has found, and where the goroutine stands then.
type edge struct {
	found     content
	to        int32
	stored    content       // of an atomic update: what is in memory then
	fails     bool          // it did not store
	invisible []trace.Event // what the goroutine did before it came there that others cannot see
	firstRun  int           // the run that has shown it first
}

// A content is what memory, or a message, holds: equal for equal values, and else for what
// the same operations have left.
type content uint64

type edgeKey struct {
	node  int32
	found content
}

type held struct {
	lock   int32
	reader bool
}

// A choice is a case of a select.
type selectCase struct {
	ch   int32 // none: the nil channel
	send bool
}

type extent struct {
	from uint64
	size uint32
}

type class uint8

const (
	ofLock class = iota
	ofCond
	ofChan
	ofGroup
	ofOnce
	numClasses
)

type object struct {
	class class
	name  uint64
}

const none = -1

// flags are those that tell operations apart.
const flags = trace.FlagMap | trace.FlagTry | trace.FlagDefault

// New returns the program of a test, of which nothing is known.
func New(test string) *Program {
	p := &Program{
		test: test, byPath: make(map[string]int32), sites: trace.NewCommonSites(),
		byExtent: make(map[extent]int32), initial: make(map[int32]uint64), byObject: make(map[object]int32), capacity: make(map[int32]int),
		external: make(map[int32]bool), closedBefore: make(map[int32]bool), readersWait: make(map[int32]bool), ends: make(map[uint64]bool), deadlocks: make(map[string]bool), tried: make(map[edgeKey]bool), lastName: 1 << 56,
		runsWith: make(map[uint64]runSet), valueNames: make(map[uint64]bool),
	}
	p.nodes = append(p.nodes, node{g: 0, obj: none, wakes: none, child: none}) // where the test begins
	p.goroutine(trace.Goroutine{Test: test, Path: "0"})
	return p
}

// Size is how many operations are known.
func (p *Program) Size() int { return len(p.nodes) }

// doubt notes a reason why not all may be known.
func (p *Program) doubt(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, o := range p.doubts {
		if o == text {
			return
		}
	}
	p.doubts = append(p.doubts, text)
}

// goroutine returns the number of the goroutine of that path.
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

// extent returns the number of a piece of memory.
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

// leaf adds a place that nobody has seen yet.
func (p *Program) leaf(g int32, holds []held) int32 {
	p.nodes = append(p.nodes, node{g: g, obj: none, wakes: none, child: none, held: holds})
	return int32(len(p.nodes) - 1)
}

// edge returns what came of a node where it found that, or nil.
func (p *Program) edgeFor(n int32, found content) *edge {
	next := p.nodes[n].edges
	for k := range next {
		if next[k].found == found {
			return &next[k]
		}
	}
	if its := &p.nodes[n]; isLoad(its.kind) && found != untouched {
		if v, ok := p.initial[its.obj]; ok && found == number(v) {
			return p.edgeFor(n, untouched) // it has found that before anybody knew what it was
		}
	}
	return nil
}

// mix makes one content of others.
func mix(a, b content) content {
	x := uint64(a)*0x9e3779b97f4a7c15 ^ (uint64(b) + 0x2545f4914f6cdd1d)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return content(x^x>>31) &^ isNumber
}

// isNumber is set in the contents that are values, so that what is read there is known.
const isNumber content = 1 << 63

// The contents that are not made of others.
const (
	nothing      content = iota // there is nothing to find
	untouched                   // what was there before the test
	foundClosed                 // of a channel
	panicked                    // instead
	runsFunction                // of Once.Do: its function
	timerFired                  // of a timer's channel
	writerWaits                 // of a lock: a writer waits for its readers from now on
)

// number is the content of memory that holds a value.
func number(v uint64) content { return mix(content(v), 1<<32) | isNumber }

// madeBy is the content that a node leaves of which no value is known.
func madeBy(n int32) content { return mix(content(n), 1<<33) }

// taken is what a select finds that takes a case.
func taken(k int32) content { return mix(content(k), 1<<34) }
