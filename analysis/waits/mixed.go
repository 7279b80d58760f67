package waits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file looks for communication deadlocks. A goroutine that waits for a message waits for
// the goroutine that has to reach the enabler. The wait never ends if that goroutine waits,
// before the enabler, for the others of the cycle, and if no other event ends the wait. This
// search goes event by event, not by dependencies.
//
// A goroutine that waits for a condition can be a cycle of its own: the signal may come
// before. The search ignores that another signal may wake it.

// searchMessages looks for cycles with messages.
func (f *finder) searchMessages() {
	f.grantEffort(searchEffort)
	for k := range f.messages {
		if f.effort < 0 {
			break
		}
		if f.messages[k].mayMissSignal {
			f.closePath([]int32{f.messages[k].position})
		}
		f.extendPath([]int32{f.messages[k].position})
	}
	f.found.Incomplete = f.found.Incomplete || f.effort < 0 || len(f.found.Cycles) >= maxCycles
	for _, k := range f.cycleBySites {
		c := &f.found.Cycles[k] // all of its sets are at the same places
		c.Exhaustive = c.Exhaustive && !slices.ContainsFunc(c.Sets[0], func(i int) bool { return f.incompleteSites[f.trace.Events[i].Site] })
	}
	f.chargeEffort()
}

// extendPath looks for cycles that begin with a path of operations, of which each waits for the
// goroutine of the next.
func (f *finder) extendPath(path []int32) {
	last := path[len(path)-1]
	if len(path) > 1 && f.waitsFor(last, path[0]) {
		f.closePath(path)
		return
	}
	if len(path) == maxMessageCycle {
		return
	}
	for _, next := range f.successorsOf(last) {
		if f.effort--; f.effort < 0 || len(f.found.Cycles) >= maxCycles {
			return
		}
		if f.canJoin(path, next) {
			f.extendPath(append(slices.Clip(path), next))
		}
	}
}

// waitsFor reports whether operation i waits for the goroutine that is about to execute j. That
// goroutine holds the lock that i acquires, or waits to write where i reads, or it executes an
// enabler of i only after j.
func (f *finder) waitsFor(i, j int32) bool {
	if k, ok := f.messageAt[i]; ok {
		m := &f.messages[k]
		return j >= m.onceBegin && slices.ContainsFunc(m.enablers, func(enabler int32) bool {
			return enabler > j && f.trace.Events[enabler].G == f.trace.Events[j].G
		})
	}
	e := &f.trace.Events[i]
	if f.shutsOut(j, i) {
		return true
	}
	for _, a := range f.order.Held(int(j)) {
		if h := &f.trace.Events[a]; h.Obj == e.Obj && a != j && !(h.Kind.IsShared() && e.Kind.IsShared()) {
			return !f.handedOver(e.Obj)
		}
	}
	return false
}

// shutsOut reports whether event j acquires for writing a lock that event i acquires for
// reading: a reader that comes later waits for the writer.
func (f *finder) shutsOut(j, i int32) bool {
	writer, reader := &f.trace.Events[j], &f.trace.Events[i]
	return writer.Kind == trace.Acquire && reader.Kind == trace.RAcquire && writer.Obj == reader.Obj && f.canBlock(j)
}

// holdExcluding reports whether the goroutine of event i, when it is about to execute it,
// holds a lock that excludes one that the goroutine of event j holds then.
func (f *finder) holdExcluding(i, j int32) bool {
	for _, a := range f.order.Held(int(i)) {
		for _, b := range f.order.Held(int(j)) {
			x, y := &f.trace.Events[a], &f.trace.Events[b]
			if x.Obj == y.Obj && a != i && b != j && !(x.Kind.IsShared() && y.Kind.IsShared()) && !f.handedOver(x.Obj) {
				return true
			}
		}
	}
	return false
}

// successors are the operations that may follow another one in a cycle, and the effort to find
// them.
type successors struct {
	all    []int32
	effort int
}

// successorsOf returns the operations that may follow i in a cycle. They are cached, as many
// cycles reach the same operations. Their effort counts each time, so that results do not
// depend on the size of the cache.
func (f *finder) successorsOf(i int32) []int32 {
	n, known := f.successorCache[i]
	if known {
		f.effort -= n.effort
		return n.all
	}
	before := f.effort
	n.all = f.findSuccessors(i)
	if n.effort = before - f.effort; f.cachedOperations+len(n.all) < maxCached {
		f.cachedOperations += len(n.all)
		f.successorCache[i] = n
	}
	return n.all
}

// findSuccessors finds the operations that may follow i in a cycle.
func (f *finder) findSuccessors(i int32) (all []int32) {
	if k, ok := f.messageAt[i]; ok {
		for _, enabler := range f.messages[k].enablers {
			if f.trace.Events[enabler].G != f.trace.Events[i].G {
				all = append(all, f.waitsBefore(enabler, i)...)
			}
		}
		return all
	}
	e := &f.trace.Events[i]
	all = slices.Clone(f.messagesUnder[e.Obj])
	dependencies := f.holders[e.Obj]
	if e.Kind.IsShared() {
		dependencies = slices.Concat(dependencies, f.writers[e.Obj])
	}
	for _, n := range dependencies {
		all = append(all, f.acquiresBeside(i, &f.dependencies[n])...)
	}
	return slices.DeleteFunc(all, func(j int32) bool { return !f.waitsFor(i, j) })
}

// waitsBefore returns operations that can block the goroutine of an event before the event,
// the latest ones first. The event is an enabler of message i, which another goroutine is
// about to execute at the same time.
func (f *finder) waitsBefore(event, i int32) (all []int32) {
	since := f.messages[f.messageAt[i]].onceBegin
	previous := func(at int32) int32 { return int32(f.order.Program().Prev(int(at))) }
	for n, at := 0, previous(event); at >= 0; n, at = n+1, previous(at) {
		if n == maxBefore || len(all) == maxWaits {
			f.incompleteSites[f.trace.Events[i].Site] = true
			break
		}
		if at < since || f.order.BeforeReached(int(at), int(i)) {
			break
		}
		if _, ok := f.messageAt[at]; ok || f.canBlock(at) {
			all = append(all, at)
		}
	}
	f.effort -= len(all)
	return all
}

// canJoin reports whether a goroutine of its own can be about to execute i while others are
// about to execute the operations of path, as far as locks and the must-order say.
func (f *finder) canJoin(path []int32, i int32) bool {
	for _, j := range path {
		if f.trace.Events[i].G == f.trace.Events[j].G || f.order.BeforeReached(int(i), int(j)) || f.order.BeforeReached(int(j), int(i)) || f.holdExcluding(i, j) {
			return false
		}
	}
	return true
}

// closePath adds a cycle, unless a goroutine outside it can end one of its waits. If such a
// goroutine may itself wait for the cycle before that, it joins the cycle.
func (f *finder) closePath(path []int32) {
	// A cycle is found once from each of its operations: sorted, it is the same.
	path = slices.Clone(path)
	slices.Sort(path)
	name := fmt.Sprint(path)
	if f.closedPaths[name] {
		return
	}
	f.closedPaths[name] = true
	// Operations that join the path are checked in turn, as the loop runs to its new end.
	for k := 0; k < len(path); k++ {
		for enabler, ok := f.enabledBy(path[k], path); ok; enabler, ok = f.enabledBy(path[k], path) {
			before := f.waitsBefore(enabler, path[k])
			i := slices.IndexFunc(before, func(j int32) bool {
				return f.canJoin(path, j) && slices.ContainsFunc(path, func(p int32) bool { return f.waitsFor(j, p) })
			})
			if i < 0 || len(path) > maxWaits {
				return
			}
			path = append(path, before[i])
		}
	}
	f.addMessageCycle(path)
}

// addMessageCycle adds a set of operations to the cycle of their sites.
func (f *finder) addMessageCycle(path []int32) {
	set := make([]int, len(path))
	var sites []string
	for k, i := range path {
		set[k] = int(i)
		sites = append(sites, fmt.Sprint(f.trace.Events[i].Site))
	}
	slices.Sort(sites)
	places := strings.Join(sites, " ")
	n, known := f.cycleBySites[places]
	if !known {
		n = len(f.found.Cycles)
		f.cycleBySites[places] = n
		f.found.Cycles = append(f.found.Cycles, Cycle{Exhaustive: true})
	}
	c := &f.found.Cycles[n]
	if len(c.Sets) == MaxSets {
		c.Exhaustive = false
		return
	}
	c.Sets = append(c.Sets, set)
}

// enabledBy returns an event that can end the wait of message i although the goroutines of a
// cycle are blocked in its operations. It is not ok if there is none, if i is no message, or if
// i is a message that needs all of its enablers.
func (f *finder) enabledBy(i int32, cycle []int32) (enabler int32, ok bool) {
	k, isMessage := f.messageAt[i]
	if !isMessage {
		return 0, false
	}
	m := &f.messages[k]
	if m.channel < 0 { // Dones, signals and functions of Onces have no substitutes
		return 0, false
	}
	all := f.enablersOf(m.channel, m.send)
	never := make(map[trace.GID]bool) // goroutines that execute none of the later events either
	// Earlier enablers serve earlier operations: a channel serves its waiters first come first
	// served.
	first, _ := slices.BinarySearch(all, m.enablers[0])
	for _, at := range all[first:] {
		if g := f.trace.Events[at].G; !never[g] {
			if f.neverHappens(at, cycle) {
				never[g] = true
			} else if !f.hasHappened(at, cycle) {
				return at, true
			}
		}
		if f.effort--; f.effort < 0 { // without effort left, assume that it ends the wait
			return at, true
		}
	}
	return 0, false
}

// hasHappened reports whether event i has happened when goroutines are about to execute the
// operations of a cycle. The cases of a select among these operations have not.
func (f *finder) hasHappened(i int32, cycle []int32) bool {
	return slices.ContainsFunc(cycle, func(j int32) bool { return f.order.BeforeReached(int(i), int(j)) && !f.offersCase(j, i) })
}

// offersCase reports whether event i is a case of the select at j that would send.
func (f *finder) offersCase(j, i int32) bool {
	e := &f.trace.Events[j]
	if e.Kind != trace.Select {
		return false
	}
	n := f.facts.SelectOf(f.facts.OperationOf(int(j)))
	return f.trace.Events[i].Kind == trace.SelectSend && slices.Contains(f.facts.Cases(n), i)
}

// neverHappens reports whether event i cannot happen while the goroutines of a cycle are
// blocked in its operations.
func (f *finder) neverHappens(i int32, cycle []int32) bool {
	return slices.ContainsFunc(cycle, func(j int32) bool {
		return f.trace.Events[i].G == f.trace.Events[j].G && i > j || f.order.BeforeReached(int(j), int(i))
	})
}
