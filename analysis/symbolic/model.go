package symbolic

import (
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// none stands for an event or object that does not exist.
const none = -1

// A Control is the control and synchronization of a trace, which all its models share.
//
// Events are named by their positions in the trace, which are below 2^31. An edge never goes back:
// its earlier end has the lower position. So a pass over positions meets causes before effects.
type Control struct {
	t     *trace.Trace
	order *order.Order
	sites *trace.SiteIndex
	// ignoreCommuting leaves operations without edges whose order makes no difference; see
	// admitsParallelTests and hasNoEffects.
	ignoreCommuting bool

	locks    []lock // by number
	facts    *facts.Facts
	channels []channel // by number
	conds    map[uint64]*condition
	groups   []waitGroup // by number
	edges    []edge      // those of synchronization
	// impossible are events that no run performs, as the trace lacks what they need.
	impossible map[int32]bool
	sourceRoot *string // see goroot; nil until it is needed
}

// A Model is what encodings of one trace share that treat its values alike. There are three kinds (Wang
// et al., FAC 2011, §7): constrained, where all reads that matter find what they found; relaxed, where
// they may find anything; and between these the concurrent trace program, where reads that flow into
// formulas only find what the formulas compute.
//
// In the paper, the constrained model admits no more runs than the concurrent trace program, and the
// relaxed one admits no fewer (§7.1, §7.2). A proof in the last one holds for all three.
//
// An example: a goroutine reads y and stores x = y + 1. The constrained model wants the read to find
// what it found. The concurrent trace program lets it find any y, and x follows. In the relaxed
// model nothing depends on what the read finds.
type Model struct {
	*Control
	*provenance
	// relaxed says that values do not matter at all.
	relaxed bool
	// strict says that all reads that are not tracked have to find what they found, also those that
	// only move data.
	strict bool

	memory                       *memory
	counters                     *counterFinder
	edgesByLater, edgesByEarlier edges              // by their later ends, and by their earlier ends
	must                         func() *order.Must // made on first use
	orderedReads                 *orderedReads
	cones                        *coneFinder
}

// NewControl finds the control and synchronization of t, whose order is o, in near-linear time.
func NewControl(t *trace.Trace, o *order.Order) *Control { return newControl(t, o, false) }

func newControl(t *trace.Trace, o *order.Order, ignoreCommuting bool) *Control {
	c := &Control{
		t: t, order: o, sites: o.Sites(), facts: o.Facts(), impossible: make(map[int32]bool),
		ignoreCommuting: ignoreCommuting,
	}
	c.locks = newLocks(c)
	c.channels, c.groups, c.conds = newChannels(c.facts), newWaitGroups(c.facts), newConditions(t)
	b := edgeBuilder{Control: c}
	b.addSyncEdges()
	b.addWaitEdges()
	b.addChannelEdges()
	c.edges = b.edges
	return c
}

// New prepares encodings of t, whose order is o, in near-linear time: what the paper calls the
// constrained model (Wang et al., FAC 2011, §7.1).
func New(t *trace.Trace, o *order.Order) *Model {
	return newModel(&Model{Control: NewControl(t, o)}, nil, trace.NewLayout(t))
}

// NewConcurrent prepares encodings of the concurrent trace program of t (Wang et al., FAC 2011,
// §3.2). Reads whose values flow into formulas only may find something else than recorded.
func NewConcurrent(t *trace.Trace, o *order.Order, flow *dataflow.Flow) *Model {
	return NewControl(t, o).Concurrent(flow, trace.NewLayout(t))
}

// Concurrent is NewConcurrent for a trace whose control and layout exist already.
func (c *Control) Concurrent(flow *dataflow.Flow, l *trace.Layout) *Model {
	return newModel(&Model{Control: c}, flow, l)
}

// NewRelaxed prepares encodings in which reads may find anything, and branches go as recorded
// nevertheless: what the paper calls the relaxed model (§7.2). What is impossible there is
// impossible.
func NewRelaxed(t *trace.Trace, o *order.Order) *Model {
	return newModel(&Model{Control: NewControl(t, o), relaxed: true}, nil, trace.NewLayout(t))
}

// newModel completes m, which has its control and its options.
func newModel(m *Model, flow *dataflow.Flow, l *trace.Layout) *Model {
	m.provenance = newProvenance(m.Control, &accesses{m.t.Events, l}, flow)
	m.cones = &coneFinder{m: m}
	m.orderedReads = &orderedReads{Model: m, unorderedPairs: make(map[int32][]int32)}
	m.counters = &counterFinder{m, make(map[int32]*counter)}
	// The memory asks what is tracked, so the provenance comes first. The edges of reads ask the
	// memory.
	m.memory = newMemory(m)
	m.edgesByLater = m.sorted(true, slices.Values(append(m.memory.readEdges(), m.edges...)))
	m.edgesByEarlier = m.sorted(false, m.edgesByLater.all)
	m.must = sync.OnceValue(func() *order.Must { return m.order.Must(m.Edges()) })
	return m
}

// next returns the event after event i in its goroutine, or none.
func (m *Control) next(i int32) int32 { return int32(m.order.Program().Next(int(i))) }

// prev returns the event before event i in its goroutine, or none.
func (m *Control) prev(i int32) int32 { return int32(m.order.Program().Prev(int(i))) }

func (m *Control) event(i int32) *trace.Event { return &m.t.Events[i] }
func (m *Control) gid(i int32) trace.GID      { return m.t.Events[i].G }

// first returns the first event of goroutine g, or none.
func (m *Control) first(g trace.GID) int32 { return int32(m.events(g).First()) }

// events returns the events of goroutine g.
func (m *Control) events(g trace.GID) trace.GoroutineEvents { return m.order.Events(g) }

// firstFrom returns the first event of goroutine g at or after position i, or none.
func (m *Model) firstFrom(g trace.GID, i int32) int32 {
	return int32(m.events(g).FirstFrom(int(i)))
}

// predecessor returns the event after which event i is next in its goroutine: the one before, or
// the go statement that started the goroutine, or none.
func (m *Model) predecessor(i int32) int32 {
	if m.prev(i) != none {
		return m.prev(i)
	}
	for e := range m.edgesInto(m.gid(i), i, i+1).all {
		if k := m.event(e.from).Kind; k == trace.Fork {
			return e.from
		}
	}
	return none
}
