package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// RAPID's std format has one event a line, "thread|op(operand)|location", with
// the operations r, w, acq, rel, fork, join, begin and end (of an atomic
// block). This file writes it, rapid_read.go reads it.

// WriteRAPID writes t in the std format of RAPID, so that other predictive
// analysers can read it. Thread names are "T" and the goroutine's number,
// locations are site numbers, operands end in an address in hexadecimal. The
// events map as follows:
//
//   - a read or write is r or w of the variable at its address;
//   - an atomic operation is the same inside a critical section of a lock of
//     its own;
//   - acq and rel are those of a mutex. The reader side of an RWMutex is one
//     lock for each goroutine that reads, and the writer side takes them all;
//   - an await of a token that a goroutine posts as the last thing that it
//     does, and nobody else, is a join, as [ReadRAPID] makes one of a join;
//   - all other synchronization (channels, WaitGroup, Once, Cond, other tokens)
//     reads and writes one variable for each object inside a critical section
//     of its own: what comes before lets the object change, what comes after
//     sees it changed.
//
// Lost are values and branches, sizes (accesses that overlap count as one
// variable only if they begin at the same address), which element of a channel
// goes where (more is ordered than need be), read locks that another goroutine
// unlocks, panics, tests, and names. It fails only if w does.
func WriteRAPID(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	x := &rapidWriter{w: b, readers: map[uint64][]GID{}, joins: map[uint64]GID{}, selects: map[int]uint64{}}
	x.prepare(t)
	for i := range t.Events {
		x.event(i, &t.Events[i])
	}
	return b.Flush()
}

type rapidWriter struct {
	w       io.Writer
	readers map[uint64][]GID // by RWMutex: the goroutines that acquire its reader side
	joins   map[uint64]GID   // by token: the goroutine whose end it stands for
	selects map[int]uint64   // by position of the select: the channel chosen
}

// prepare finds what lines of events need to know of later events.
func (x *rapidWriter) prepare(t *Trace) {
	last := map[GID]int{}
	selects := map[GID]int{}
	posts := map[uint64]int{}
	postAt := map[uint64]int{}
	for i := range t.Events {
		e := &t.Events[i]
		switch e.Kind {
		case RAcquire:
			if !slices.Contains(x.readers[e.Obj], e.G) {
				x.readers[e.Obj] = append(x.readers[e.Obj], e.G)
			}
		case Select:
			selects[e.G] = i
		case SendDone, RecvDone:
			if at, ok := selects[e.G]; ok {
				x.selects[at] = e.Obj
			}
		case Post:
			posts[e.Obj]++
			postAt[e.Obj] = i
		}
		if e.Kind != Select && e.Kind != SelectDone {
			delete(selects, e.G)
		}
		if e.Kind != End {
			last[e.G] = i
		}
	}
	for token, n := range posts {
		e := &t.Events[postAt[token]]
		if n == 1 && last[e.G] == postAt[token] {
			x.joins[token] = e.G
		}
	}
}

// line writes one line. The letters of space begin the names of one sort of objects.
func (x *rapidWriter) line(e *Event, op, space string, obj uint64) {
	x.lineOf(e, op, fmt.Sprintf("%s%x", space, obj))
}

func (x *rapidWriter) lineOf(e *Event, op, operand string) {
	// The bufio.Writer keeps an error until Flush.
	_, _ = fmt.Fprintf(x.w, "%s|%s(%s)|%d\n", rapidThreadName(e.G), op, operand, uint32(e.Site))
}

func rapidThreadName(g GID) string { return fmt.Sprintf("T%d", g) }

// criticalSection writes accesses of a variable in a critical section of its own.
func (x *rapidWriter) criticalSection(e *Event, space string, obj uint64, ops ...string) {
	x.line(e, "acq", "L"+space, obj)
	for _, op := range ops {
		x.line(e, op, space, obj)
	}
	x.line(e, "rel", "L"+space, obj)
}

func (x *rapidWriter) event(i int, e *Event) {
	switch e.Kind {
	case Read:
		x.line(e, "r", "V", e.Obj)
	case Write:
		x.line(e, "w", "V", e.Obj)
	case AtomicLoad:
		x.criticalSection(e, "V", e.Obj, "r")
	case AtomicStore:
		x.criticalSection(e, "V", e.Obj, "w")
	case AtomicRMW:
		if e.Flags&FlagFailed != 0 {
			x.criticalSection(e, "V", e.Obj, "r")
		} else {
			x.criticalSection(e, "V", e.Obj, "r", "w")
		}
	case Fork:
		x.lineOf(e, "fork", rapidThreadName(GID(e.Obj)))
	case Acquire, Release, RAcquire, RRelease:
		x.lock(e)
	case RegionBegin:
		x.line(e, "begin", "R", 0)
	case RegionEnd:
		x.line(e, "end", "R", 0)
	default:
		x.sync(i, e)
	}
}

func (x *rapidWriter) lock(e *Event) {
	readers := x.readers[e.Obj]
	switch e.Kind {
	case Acquire:
		x.line(e, "acq", "L", e.Obj)
		for _, g := range readers {
			x.line(e, "acq", fmt.Sprintf("L%dr", g), e.Obj)
		}
	case Release:
		for _, g := range slices.Backward(readers) {
			x.line(e, "rel", fmt.Sprintf("L%dr", g), e.Obj)
		}
		x.line(e, "rel", "L", e.Obj)
	case RAcquire:
		x.line(e, "acq", fmt.Sprintf("L%dr", e.G), e.Obj)
	case RRelease:
		if slices.Contains(readers, e.G) {
			x.line(e, "rel", fmt.Sprintf("L%dr", e.G), e.Obj)
		}
	}
}

// rapidSync says how synchronization is written that RAPID has no operation for: as accesses of a
// variable for each object, which change it or see it changed.
var rapidSync = map[Kind]struct {
	space   string // of the names of the variables
	changes bool
}{
	Send: {"C", true}, Recv: {"C", true}, Close: {"C", true}, SendDone: {"C", false}, RecvDone: {"C", false},
	CondSignal: {"N", true}, CondBroadcast: {"N", true}, CondWake: {"N", false},
	WaitGroupAdd: {"W", true}, WaitGroupWaited: {"W", false},
	OnceEnd: {"O", true}, OnceDone: {"O", false},
	Post: {"P", true}, Await: {"P", false},
}

// sync writes the synchronization of rapidSync, and joins.
func (x *rapidWriter) sync(i int, e *Event) {
	object, how := e.Obj, rapidSync[e.Kind]
	if e.Kind == Select {
		object, how = x.selects[i], rapidSync[Send]
		if _, chosen := x.selects[i]; !chosen {
			return
		}
	}
	joined, isJoin := x.joins[e.Obj]
	switch {
	case how.space == "", e.Kind == Post && isJoin:
	case e.Kind == Await && isJoin:
		x.lineOf(e, "join", rapidThreadName(joined))
	case how.changes:
		x.criticalSection(e, how.space, object, "r", "w")
	default:
		x.criticalSection(e, how.space, object, "r")
	}
}
