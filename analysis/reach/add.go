package reach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file adds runs to a program. It executes the recorded events on the
// model and records what the goroutines found. If the model disagrees with
// the recording, the trace lacks something.

// A Run is the recording of one run of the test.
type Run struct {
	Trace *trace.Trace
	// Died is the position of the last event of the goroutine that ended the
	// program before the end of the test, for instance by a panic; -1 if none
	// did.
	Died int
}

// Add adds a run to the program. It reports whether the run showed anything
// new.
func (p *Program) Add(its Run) (fresh bool) {
	r := &run{Program: p, t: its.Trace, facts: facts.New(its.Trace), flow: dataflow.New(its.Trace)}
	r.prepare()
	// Addresses differ between runs. So each run has its own naming, which begins
	// with what its operations have in common with those of earlier runs.
	r.names = newNaming(r)
	r.names.align(r)
	r.names.made = newMadeObjects(r)
	r.prepareWalk()
	whole := r.executeAll()
	p.runCount++
	switch {
	case !whole:
	case its.Died < 0 && !r.t.Complete && len(r.t.Blocked) == 0, len(r.t.Cuts) > 0, r.t.Meta.Limit > 0:
		p.addDoubt("not all of a run was recorded")
	default:
		r.finish(its.Died)
	}
	return r.isNew
}

// A run is a recording that is being added. Its events are executed on the
// model (state.go), and what the model finds is compared with the recording.
type run struct {
	*Program
	// The recording, and what is derived from it.
	t     *trace.Trace
	facts *facts.Facts
	flow  *dataflow.Flow
	// The names of its objects in the program.
	names *naming
	// The state of the model.
	state *state
	// The program's numbers of the run's goroutines.
	numbers map[trace.GID]int32
	// By event: it belongs to the test, between the test's begin and its end.
	ofTest []bool
	// The last event of the test's own goroutine; nil if the run has not come there.
	end *trace.Event
	// By number of the channel: it has elements that no goroutine has sent; it
	// is closed although no goroutine of the test closes it.
	timers, closed []bool
	// By goroutine.
	lastEdges map[int32]lastEdge
	// By goroutine: the Onces whose functions it has run, until Do returns.
	ranOnce map[int32][]uint64
	// The run has shown something new.
	isNew bool
}

// A lastEdge is the edge that a goroutine has taken last. Events that follow
// it and that other goroutines cannot see are recorded at the edge.
type lastEdge struct {
	// The node, and the index of the edge there.
	node int32
	edge int
	// No earlier run has taken it, so that the events after it are recorded.
	fresh bool
}

// prepare finds the events of the test, and the channels on which others than
// its goroutines have operated.
func (r *run) prepare() {
	r.ofTest = make([]bool, len(r.t.Events))
	end, done := r.findEnd()
	began := false
	for i := range r.t.Events[:done] {
		e := &r.t.Events[i]
		g := &r.t.Goroutines[e.G]
		isMain := g.Test == r.test && g.Path == "0"
		began = began || isMain && e.Kind == trace.TestBegin
		if g.Test != r.test || !began || isMain && i > end || r.isBookkeeping(e) {
			continue
		}
		r.ofTest[i] = true
		if isMain && end < len(r.t.Events) && (done < len(r.t.Events) || r.t.Complete) {
			r.end = e
		}
	}
	n := r.facts.Objects(trace.ClassChannel).Len()
	r.timers, r.closed = make([]bool, n), make([]bool, n)
	for ch := range int32(n) {
		c := r.facts.Channel(ch)
		ofTimer := c.Made != facts.None && strings.HasPrefix(r.t.Sites[r.t.Events[c.Made].Site].Func, "time.") // even if it has not fired
		r.timers[ch] = ofTimer || c.External && len(r.facts.Line(ch, false)) == 0
		r.closed[ch] = !slices.ContainsFunc(r.facts.Closes(ch), func(i int32) bool { return r.ofTest[i] }) && r.foundClosed(ch)
	}
}

// findEnd returns the position at which the test's own goroutine has ended; the number of events if it
// has not. It ends with the test's cleanups: what others find until then may be what a cleanup has
// left, for instance a context that is canceled. From the position done on nothing belongs to the test,
// as the program may end at any time: a goroutine that goes on is one whose next operation the run has
// not shown.
func (r *run) findEnd() (end, done int) {
	returned := false
	end, done = len(r.t.Events), len(r.t.Events)
	for i := range r.t.Events {
		e := &r.t.Events[i]
		if g := &r.t.Goroutines[e.G]; g.Test != r.test || g.Path != "0" {
			continue
		}
		switch in := r.t.Sites[e.Site].Func; {
		case r.t.EndsTest(e):
			returned, end = true, i
		case !returned:
		case strings.HasPrefix(in, "testing.(*common).runCleanup"), e.Kind == trace.End:
			end = i
		case in == "testing.tRunner" && e.Kind == trace.Write: // of t.done
			return end, i
		}
	}
	return end, done
}

// isBookkeeping reports whether e is an access or a lock by which package testing keeps what a test has
// logged, and whether it has failed. The recordings do not have these values, and tests do not depend
// on the order in which goroutines log.
func (r *run) isBookkeeping(e *trace.Event) bool {
	return (e.Kind.IsAccess() || e.Kind.Class() == trace.ClassLock) && strings.HasPrefix(r.t.Sites[e.Site].Func, "testing.")
}

// foundClosed reports whether a receive of the test found a channel closed.
func (r *run) foundClosed(channel int32) bool {
	return slices.ContainsFunc(r.facts.OperationsOn(channel), func(row int32) bool {
		o := &r.facts.Operations()[row]
		return o.Outcome == facts.FoundClosed && r.ofTest[o.Done]
	})
}

// prepareWalk finds the goroutines of the run and the reasons why its
// recording is not complete. The doubts are added before the events are
// executed, so that they are there even if that ends early.
func (r *run) prepareWalk() {
	r.lastEdges, r.ranOnce, r.numbers = make(map[int32]lastEdge), make(map[int32][]uint64), make(map[trace.GID]int32)
	for i := range r.t.Events {
		e := &r.t.Events[i]
		if !r.ofTest[i] {
			continue
		}
		g := r.t.Goroutines[e.G]
		g.Site = r.sites.Of(r.t, g.Site)
		r.numbers[e.G] = r.goroutine(g)
		switch class := e.Kind.Class(); {
		case class == trace.ClassChannel && e.Obj != 0 && !e.Kind.Begins():
			if r.timers[r.facts.Objects(class).Number(e.Obj)] {
				r.addDoubt(comesAnyTime)
			}
		case class == trace.ClassLock && e.Flags&trace.FlagTry != 0:
			r.addDoubt("whether a TryLock fails is not in the recordings")
		}
	}
	tells := len(r.t.Allocations) > 0
	if r.runCount > 0 && tells != r.tellsMade || tells && r.t.Allocations[len(r.t.Allocations)-1].Addr == 0 {
		r.addDoubt("not all objects that a run has made are known")
	}
	r.tellsMade = tells
	for _, u := range r.t.HiddenInputs {
		if u.Test == r.test {
			r.addDoubt("what a goroutine finds as it looks at %s is not in the recordings", u.Describe())
		}
	}
	r.state = r.start()
}

// comesAnyTime is the doubt about channels of timers. The search takes them
// for ready at any time.
const comesAnyTime = "what comes of timers, or of others than goroutines of the test, comes at any time"

// executeAll executes the events. It reports whether the model expects all of
// them; the first one that it does not expect becomes a doubt.
func (r *run) executeAll() bool {
	for i := range r.t.Events {
		if !r.ofTest[i] {
			continue
		}
		r.names.made.advance(r.t, i, r.nodeOf)
		r.state.ended = false // others may do something yet before the program has ended
		if why := r.executeEvent(i); why != "" {
			e := &r.t.Events[i]
			s := r.t.Sites[e.Site]
			r.addDoubt("%s at %s:%d, by goroutine %s: %s", e.Kind, s.File, s.Line, r.t.Goroutines[e.G].Path, why)
			return false
		}
	}
	return true
}

// nodeOf returns the node that a goroutine of the run is at, if it has one.
func (r *run) nodeOf(g trace.GID) (at int32, ok bool) {
	own, ok := r.numbers[g]
	if !ok {
		return none, false
	}
	at = r.state.next[own]
	return at, at != none
}

// executeEvent executes the event at position i. It returns why the event does
// not fit the model, or "".
func (r *run) executeEvent(i int) string {
	e := &r.t.Events[i]
	g := r.numbers[e.G]
	if why := r.completePanicked(g, e); why != "" {
		return why
	}
	if isInvisible(e.Kind) || e.Kind == trace.OnceDone && r.takeOnceReturn(g, e.Obj) {
		r.addInvisible(g, i)
		return ""
	}
	// The model must be where the recording is: at the node of this event.
	at := r.state.next[g]
	if at == none || r.nodes[at].goroutineEnded {
		return "it was not started, or has ended"
	}
	if r.nodes[at].kind == trace.None {
		r.fillNode(at, g, i)
	}
	n := &r.nodes[at]
	r.names.bindLike(n, e)
	if why := r.mismatch(n, e); why != "" {
		return why
	}
	r.state.grow()
	// The first store to memory records its prior value. So later runs know what
	// reads before it find.
	if v, ok := r.t.PriorValueAt(i); ok && e.Kind.IsAccess() && r.state.content(n.obj) == untouched {
		r.initial[n.obj] = r.names.word(&trace.Event{Size: e.Size, Val: v})
	}
	if r.state.countAlternatives(g) == 0 {
		return "it should wait, by what was recorded"
	}
	way, why := r.alternativeTaken(n, i)
	if why != "" {
		return why
	}
	return r.takeEdge(g, at, e, i, r.state.execute(g, way))
}

// completePanicked executes the completion of an operation that has panicked.
// A trace has no event for it, but the model has a step.
func (r *run) completePanicked(g int32, e *trace.Event) string {
	at := r.state.next[g]
	if at == none {
		return ""
	}
	k := r.nodes[at].kind
	if k.Class() != trace.ClassChannel || !k.Completes() || e.Kind == k {
		return ""
	}
	for k == trace.SelectDone {
		if w := r.state.pending[g]; !w.done || w.found != panicked {
			return "the operation before was not complete"
		}
		if why := r.takeEdge(g, at, e, -1, r.state.execute(g, 0)); why != "" {
			return why
		}
		at = r.state.next[g]
		k = r.nodes[at].kind
	}
	if w := r.state.pending[g]; !w.done || w.found != panicked {
		return "the operation before was not complete"
	}
	return r.takeEdge(g, at, e, -1, r.state.execute(g, 0))
}

// takeOnceReturn reports whether the goroutine has run the function of a Once
// itself, and forgets it. Then its return from Do is not an operation.
func (r *run) takeOnceReturn(g int32, once uint64) bool {
	k := slices.Index(r.ranOnce[g], once)
	if k < 0 {
		return false
	}
	r.ranOnce[g] = slices.Delete(r.ranOnce[g], k, k+1)
	return true
}

// addInvisible records event i, which no other goroutine sees, at the last
// edge of its goroutine. Only the first run that takes the edge records it.
func (r *run) addInvisible(g int32, i int) {
	e := r.t.Events[i]
	switch e.Kind {
	case trace.SelectSend, trace.SelectRecv:
		e.Obj = uint64(r.channel(e.Obj, e.Size) + 1)
	case trace.Await:
		if !r.hasPosted(e.G, i) {
			r.addDoubt("what goroutines take from pools, timers and input is taken as it came")
		}
	}
	if l, ok := r.lastEdges[g]; ok && l.fresh {
		e.G, e.Site = trace.GID(g), r.sites.Of(r.t, e.Site)
		r.nodes[l.node].edges[l.edge].invisible = append(r.nodes[l.node].edges[l.edge].invisible, e)
	}
}

// hasPosted reports whether goroutine g, and no other one of the test, has
// posted the token that event i awaits. Then what it gets from a pool, for
// instance, does not depend on the order of goroutines.
func (r *run) hasPosted(g trace.GID, i int) (has bool) {
	for _, post := range r.facts.Posts(i) {
		if r.ofTest[post] {
			if r.t.Events[post].G != g {
				return false
			}
			has = true
		}
	}
	return has
}

// channel returns the program's number of a channel, or none for the nil
// channel.
func (r *run) channel(id uint64, capacity uint32) int32 {
	if id == 0 {
		return none
	}
	ch := r.object(ofChan, r.names.channel(id))
	r.capacity[ch] = int(capacity)
	n := r.facts.Objects(trace.ClassChannel).Number(id)
	if n != facts.None && r.timers[n] { // what is only a case has no number
		r.external[ch] = true
	}
	if n != facts.None && r.closed[n] {
		r.closedBefore[ch] = true
	}
	return ch
}

// objectOf returns the program's number of the object of an event: of its
// memory, goroutine, channel or another object.
func (r *run) objectOf(e *trace.Event) int32 {
	switch k := e.Kind; {
	case k.IsAccess():
		return r.extent(extent{r.names.nameAt(e.Obj), max(e.Size, 1)})
	case k == trace.Fork:
		return r.goroutine(r.t.Goroutines[e.Obj])
	case k == trace.Select || k == trace.SelectDone:
		return none
	case k.Class() == trace.ClassChannel:
		return r.channel(e.Obj, e.Size)
	case k.HasAddress():
		return r.object(classOf(k), r.names.nameAt(e.Obj))
	}
	return none
}

// fillNode turns a leaf, a node of which no run has shown the operation, into
// the operation of the event at position i.
func (r *run) fillNode(at, g int32, i int) {
	e := r.t.Events[i]
	r.isNew = true
	if e.Kind == trace.ChanMake {
		r.names.byChannel[e.Obj] = 1<<40 | uint64(at)
	}
	on := r.objectOf(&e)
	n := &r.nodes[at]
	n.kind, n.obj, n.flags, n.size, n.site = e.Kind, on, e.Flags&keptFlags, e.Size, r.sites.Of(r.t, e.Site)
	r.noteReader(n)
	switch {
	case isStore(&e):
		n.stored = nodeContent(at)
		if hasWord(&e) {
			n.value = r.names.word(&e)
			n.stored = valueContent(n.value)
		}
	case e.Kind.ChangesCounter():
		n.value = e.Val
	case e.Kind == trace.Select:
		n.cases = r.casesOf(i, int(e.Val))
	case e.Kind == trace.OnceDone: // somebody else has run the function
		n.kind = trace.OnceBegin
	}
	if e.Kind == trace.Fork {
		child := r.addLeaf(on, nil)
		n = &r.nodes[at]
		n.childStart = child
	}
	e.G, e.Site = trace.GID(g), n.site
	if e.Kind.HasAddress() {
		e.Obj = r.names.nameAt(e.Obj)
	}
	n.event = e
}

// casesOf returns the n cases of the select at position i, first the sending
// and then the receiving ones. Cases on nil channels are not recorded.
func (r *run) casesOf(i, n int) (all []selectCase) {
	var recvs []selectCase
	for _, at := range r.facts.Cases(r.facts.SelectOf(r.facts.OperationOf(i))) {
		e := &r.t.Events[at]
		c := selectCase{r.channel(e.Obj, e.Size), e.Kind.Sends()}
		if c.send {
			all = append(all, c)
		} else {
			recvs = append(recvs, c)
		}
	}
	if len(all) > 0 && len(all)+len(recvs) < n {
		r.addDoubt("a select has cases that send to nil channels")
	}
	for len(all)+len(recvs) < n {
		all = append(all, selectCase{none, true})
	}
	return append(all, recvs...)
}

// mismatch returns how an event differs from the operation of node n, or "".
// The same history leads to the same operation, unless that depends on
// something that the trace lacks.
func (r *run) mismatch(n *node, e *trace.Event) string {
	kind := e.Kind
	if kind == trace.OnceDone {
		kind = trace.OnceBegin
	}
	if n.kind.Completes() {
		if n.kind != kind {
			return "the operation before was not complete"
		}
		return ""
	}
	if n.kind == trace.ChanMake && kind == n.kind {
		r.names.byChannel[e.Obj] = r.objects[ofChan][n.obj]
	}
	if n.isBlocked && n.kind == kind {
		n.isBlocked, n.site, n.flags = false, r.sites.Of(r.t, e.Site), e.Flags&keptFlags
		n.event.Site = n.site
	}
	switch {
	case n.kind != kind || kind != trace.OnceBegin && n.site != r.sites.Of(r.t, e.Site):
		s := r.sites.Sites[n.site]
		return fmt.Sprintf("after it had found the same it came to %s at %s:%d in another run", n.kind, s.File, s.Line)
	case n.obj != r.objectOf(e):
		return "after it had found the same it was on another object in another run"
	case kind.ChangesCounter() && n.value != e.Val,
		isStore(e) && hasWord(e) && n.stored != valueContent(r.names.word(e)):
		return "after it had found the same it stored another value in another run"
	}
	return ""
}

// alternativeTaken returns which of the node's alternatives the event at
// position i is. Only selects have several.
func (r *run) alternativeTaken(n *node, i int) (int, string) {
	if n.kind != trace.Select {
		return 0, ""
	}
	ready := r.state.readyCases(n)
	if len(ready) == 0 {
		return 0, ""
	}
	done := r.facts.Selects()[r.facts.SelectOf(r.facts.OperationOf(i))].Done
	if done == facts.None { // it has panicked, or nobody knows what it has chosen
		return max(0, slices.IndexFunc(ready, func(k int32) bool {
			c := n.cases[k-1]
			return c.send && r.state.chans[c.ch].closed
		})), ""
	}
	way := slices.Index(ready, int32(r.t.Events[done].Val))
	if way < 0 {
		return 0, "it took another case than those that were ready, by what was recorded"
	}
	return way, ""
}

// takeEdge advances a goroutine along the edge for what its operation found.
// It adds the edge if no run has found that there before. The operation's
// event is at position i, or i is -1 if the trace has none.
func (r *run) takeEdge(g, at int32, e *trace.Event, i int, found content) string {
	n := &r.nodes[at]
	if i >= 0 && isLoad(n.kind) {
		f, why := r.foundBy(n, e, i, found)
		if why != "" {
			return why
		}
		found = f
	}
	if i >= 0 && n.kind == trace.SelectDone && found != caseContent(int32(e.Val)) {
		return "it took another case than the one that was ready, by what was recorded"
	}
	if n.kind == trace.OnceBegin && (found == runsFunction) != (e.Kind == trace.OnceBegin) {
		return "the function was run more often than once"
	}
	if n.kind == trace.OnceEnd {
		r.ranOnce[g] = append(r.ranOnce[g], e.Obj)
	}
	x := r.edgeFor(at, found)
	fresh := x == nil
	if fresh {
		x = r.addEdge(g, at, e, found)
	}
	if n = &r.nodes[at]; n.kind == trace.AtomicRMW && i >= 0 {
		left := r.storedBy(at, e, found)
		if x.stored != left || x.fails != (e.Flags&trace.FlagFailed != 0) {
			return "after it had found the same it stored another value in another run"
		}
		if !x.fails {
			r.state.store(n.obj, left)
		}
	}
	if to := &r.nodes[x.to]; to.kind == trace.None || to.isBlocked { // the runs so far may have ended on the way
		fresh, x.invisible = true, nil
	}
	r.lastEdges[g] = lastEdge{at, slices.IndexFunc(n.edges, func(o edge) bool { return o.found == x.found }), fresh}
	r.state.grow()
	r.state.advance(g, x)
	return ""
}

// foundBy returns what a load found, by the recording. If the model disagrees,
// the trace lacks a store.
func (r *run) foundBy(n *node, e *trace.Event, i int, found content) (content, string) {
	if was, ok := r.initial[n.obj]; ok && !n.kind.IsWrite() && r.state.memory[n.obj] == untouched {
		r.names.bindValue(e, was)
	}
	v, known := r.names.word(e), hasWord(e)
	if n.kind == trace.AtomicRMW && e.Flags&trace.FlagFailed == 0 {
		v, known = r.flow.ValueBefore(r.t, i)
	}
	switch {
	case !known:
	case found == untouched:
		found = valueContent(v)
		r.initial[n.obj] = v
	case found&isNumber != 0 && found != valueContent(v):
		return found, "it found what nobody has stored, by what was recorded"
	}
	return found, ""
}

// storedBy returns what an atomic update leaves in memory.
func (r *run) storedBy(at int32, e *trace.Event, found content) content {
	if hasWord(e) {
		return valueContent(r.names.word(e))
	}
	return mix(nodeContent(at), found)
}

// addEdge adds an edge for what a node found first now, and the leaf that it
// leads to.
func (r *run) addEdge(g, at int32, e *trace.Event, found content) *edge {
	n := r.nodes[at]
	holds := n.held
	switch lock := (held{n.obj, n.kind.IsShared()}); {
	case n.kind.Acquires():
		holds = append(slices.Clone(holds), lock)
	case n.kind.Releases():
		if k := slices.Index(holds, lock); k >= 0 {
			holds = slices.Delete(slices.Clone(holds), k, k+1)
		}
	}
	r.isNew = true
	x := edge{found: found, firstRun: r.runCount}
	if n.kind == trace.AtomicRMW {
		x.stored, x.fails = r.storedBy(at, e, found), e.Flags&trace.FlagFailed != 0
	}
	x.to = r.addLeaf(g, holds)
	next := &r.nodes[x.to]
	r.expectCompletion(next, &n, found)
	next.goroutineEnded = n.kind == trace.End || e == r.end
	r.nodes[at].edges = append(r.nodes[at].edges, x)
	return &r.nodes[at].edges[len(r.nodes[at].edges)-1]
}

// expectCompletion turns a leaf into the completion of the operation that node
// n begins, if it begins one. The completion finds the result of the operation.
func (r *run) expectCompletion(next, n *node, found content) {
	next.site, next.obj, next.event = n.site, n.obj, n.event
	next.kind = completions[n.kind]
	switch k := n.kind; {
	case k == trace.Select:
		next.cases = n.cases
	case k == trace.CondWait:
		next.condition = n.obj
	case k.Releases() && n.condition != none:
		next.kind, next.obj = trace.CondWake, n.condition
	case k == trace.SelectDone:
		for k, c := range n.cases {
			if found != caseContent(int32(k+1)) {
				continue
			}
			next.kind, next.obj = completions[trace.Recv], c.ch
			if c.send {
				next.kind = completions[trace.Send]
			}
		}
	}
	if next.kind == trace.None {
		next.obj, next.event = none, trace.Event{}
		return
	}
	next.event.Kind = next.kind
}

// finish records how the run ended. See [Run.Died].
func (r *run) finish(died int) {
	if died >= 0 && r.ofTest[died] {
		g := r.numbers[r.t.Events[died].G]
		if at := r.state.next[g]; at != none && r.nodes[at].kind == trace.None && !r.nodes[at].goroutineEnded {
			r.nodes[at].endsProgram = true
			r.state.endProgram(g)
		}
	}
	// Goroutines that are blocked in an operation without an event get a node for it,
	// so that the search knows what they wait for.
	for _, b := range r.t.Blocked {
		if g, ok := r.numbers[b.G]; ok && b.Obj != 0 {
			r.addBlocked(g, b)
		}
	}
	r.state.grow()
	for g := range r.state.next {
		if at := r.state.next[g]; at != none && r.nodes[at].kind == trace.Acquire && !r.state.ended && r.state.canQueue(r.nodes[at].obj) {
			r.state.execute(int32(g), 0)
		}
	}
	end, stuck := r.state.endHash(), r.state.describeStuck()
	r.isNew = r.isNew || !r.endHashes[end] || !r.deadlocks[stuck]
	r.endHashes[end], r.deadlocks[stuck] = true, true
}

// addBlocked records that a goroutine waits for a lock or a Once. The trace
// has no event for it, as these operations are logged when they are done.
func (r *run) addBlocked(g int32, b trace.BlockedGoroutine) {
	at := r.state.next[g]
	if at == none || r.nodes[at].kind != trace.None || b.Op.Class() != trace.ClassLock && b.Op != trace.OnceBegin {
		return
	}
	r.isNew = true // even if another goroutine has ended the program: this one came there
	e := trace.Event{Kind: b.Op, G: trace.GID(g), Site: r.sites.Of(r.t, b.Site), Obj: r.names.nameAt(b.Obj)}
	n := &r.nodes[at]
	n.kind, n.isBlocked, n.site, n.event = b.Op, true, e.Site, e
	n.obj = r.object(classOf(b.Op), e.Obj)
	r.noteReader(n)
}

// noteReader records which locks a goroutine holds as a reader while it may
// wait. While a writer waits for such readers, the lock lets no other readers
// in (sync.RWMutex). So the search must execute waiting writers.
func (p *Program) noteReader(n *node) {
	switch n.kind {
	case trace.Acquire, trace.RAcquire, trace.Send, trace.Recv, trace.Select, trace.CondWait, trace.WaitGroupWait, trace.OnceBegin:
		for _, h := range n.held {
			p.readersWait[h.lock] = p.readersWait[h.lock] || h.reader
		}
	}
}

// describeStuck returns a text of the operations in which goroutines wait. Two
// ends of runs with the same text are the same deadlock.
func (s *state) describeStuck() string {
	var all []string
	for g := range s.next {
		if at := s.next[g]; !s.ended && at != none && s.program.nodes[at].kind != trace.None && s.countAlternatives(int32(g)) == 0 {
			n := &s.program.nodes[at]
			all = append(all, fmt.Sprint(n.kind, " ", n.site, " ", n.obj))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
