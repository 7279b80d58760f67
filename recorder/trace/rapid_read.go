package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// rapidWord is the size in bytes that ReadRAPID gives variables.
const rapidWord = 8

// ReadRAPID reads a trace in the std format of RAPID; see [WriteRAPID].
// Threads become goroutines whose Path is the thread's name, in the order of
// their mention; those that no event forks are roots. Each variable becomes
// eight bytes of memory of its own. A location is a site of that number; no
// site is Data, as the format does not tell which reads matter. A join becomes
// an await of a token that its thread posts as its last event. Begins and ends
// of goroutines are filled in; the names of atomic blocks are lost. A lock
// acquired again by the thread that holds it, as Java has it, is one critical
// section.
//
// The trace is never nil. If a line does not parse, or tells what cannot be,
// the error is a [*FormatError] with its number, and the trace holds what
// stands before.
func ReadRAPID(r io.Reader) (*Trace, error) {
	x := &rapidReader{
		t:       &Trace{Sites: map[SiteID]Site{}},
		threads: map[string]GID{}, vars: map[string]uint64{}, locks: map[string]uint64{},
		holds: map[rapidHold]int{}, line: 1,
	}
	err := x.lines(r)
	x.complete()
	if err != nil {
		return x.t, err
	}
	x.t.Complete = true
	return x.t, nil
}

type rapidReader struct {
	t       *Trace
	threads map[string]GID
	vars    map[string]uint64
	locks   map[string]uint64
	holds   map[rapidHold]int
	raw     []Event // to which complete adds begins and ends
	state   []rapidThread
	line    int64 // number of the current line, from 1
}

type rapidThread struct {
	forked, joined bool
	started        bool  // it has an event
	line           int64 // of its fork
}

type rapidHold struct {
	g    GID
	lock uint64
}

func (x *rapidReader) lines(r io.Reader) error {
	b := bufio.NewReader(r)
	for n := int64(1); ; n++ {
		line, err := readLine(b)
		if err == errLongLine {
			return longLine(n)
		}
		if err != nil && err != io.EOF {
			return err
		}
		if line = strings.TrimSpace(line); line != "" {
			if expected, found := x.addLine(line); expected != "" {
				return &FormatError{text: true, Offset: n, Expected: expected, Found: found}
			}
		}
		if err == io.EOF {
			return x.checkForks()
		}
		x.line = n + 1
	}
}

// checkForks returns an error if a forked thread, such as "1", has no event, and a thread that is not
// forked, "T1", has some: the trace means "fork(T1)" by "fork(1)". Taken literally, the events before
// the fork would not be ordered before T1.
func (x *rapidReader) checkForks() error {
	for _, g := range x.t.Goroutines {
		meant, ok := x.threads["T"+g.Path]
		if s := x.state[g.ID]; ok && s.forked && !s.started && x.state[meant].started && !x.state[meant].forked {
			return &FormatError{text: true, Offset: s.line, Expected: fmt.Sprintf("a fork of a thread that does something, as fork(T%s)", g.Path), Found: fmt.Sprintf("fork(%s), and of %s nothing", g.Path, g.Path)}
		}
	}
	return nil
}

// addLine reads one line. It returns what it expected and found, if that differs.
func (x *rapidReader) addLine(line string) (expected, found string) {
	f := strings.Split(line, "|")
	if len(f) != 3 || f[0] == "" {
		return "thread|op(operand)|location", fmt.Sprintf("%.80q", line)
	}
	op, operand, ok := strings.Cut(f[1], "(")
	operand, ok2 := strings.CutSuffix(operand, ")")
	if !ok || !ok2 {
		return "op(operand)", fmt.Sprintf("%.40q", f[1])
	}
	loc, err := strconv.ParseUint(f[2], 10, 32)
	if err != nil {
		return "a location up to 4294967295", fmt.Sprintf("%.40q", f[2])
	}
	e := Event{G: x.thread(f[0]), Site: SiteID(loc)}
	if x.state[e.G].joined {
		return "no event of a thread after a join of it", fmt.Sprintf("%.40q of %.40q", f[1], f[0])
	}
	skip, expected, found := x.operation(&e, op, operand)
	if expected != "" {
		return expected, found
	}
	x.state[e.G].started = true
	if e.Site != 0 {
		x.t.Sites[e.Site] = Site{ID: e.Site, Key: loc, Line: int(loc)}
	}
	if !skip {
		x.raw = append(x.raw, e)
	}
	return "", ""
}

// operation fills in what op and its operand mean. skip is set if there is no
// event of ours for it.
func (x *rapidReader) operation(e *Event, op, operand string) (skip bool, expected, found string) {
	switch op {
	case "r", "w":
		e.Kind, e.Size = Read, rapidWord
		if op == "w" {
			e.Kind = Write
		}
		e.Obj = number(x.vars, operand)
	case "acq", "rel":
		return x.lock(e, op, lockBase+number(x.locks, operand))
	case "fork", "join":
		if operand == "" {
			return false, "a thread to " + op, "none"
		}
		child := x.thread(operand)
		e.Kind, e.Obj = Fork, uint64(child)
		s := &x.state[child]
		switch {
		case child == e.G:
			return false, op + " of another thread", "of itself"
		case op == "join":
			e.Kind = Await // complete sets the token
			s.joined = true
			return !s.started, "", "" // without an event there is nothing to wait for
		case s.forked || s.started:
			return false, "a fork before the thread's first event", fmt.Sprintf("an earlier one of %.40q", operand)
		default:
			s.forked, s.line = true, x.line
			x.t.Goroutines[child].Parent = e.G
			x.t.Goroutines[child].Site = e.Site
		}
	case "begin":
		e.Kind = RegionBegin
	case "end":
		e.Kind = RegionEnd
	default:
		return false, "one of r w acq rel fork join begin end", fmt.Sprintf("%.40q", op)
	}
	return false, "", ""
}

// lockBase keeps the numbers of locks apart from those of variables.
const lockBase = 1 << 40

// lock counts how often a thread holds a lock, as only the outermost section
// counts.
func (x *rapidReader) lock(e *Event, op string, lock uint64) (skip bool, expected, found string) {
	h := rapidHold{e.G, lock}
	e.Obj = lock
	if op == "acq" {
		e.Kind = Acquire
		x.holds[h]++
		return x.holds[h] > 1, "", ""
	}
	if x.holds[h] == 0 {
		return false, "a release of a lock that the thread holds", "one that it does not hold"
	}
	e.Kind = Release
	x.holds[h]--
	return x.holds[h] > 0, "", ""
}

// number numbers names, as addresses.
func number(m map[string]uint64, name string) uint64 {
	n, ok := m[name]
	if !ok {
		n = uint64(len(m)+1) * rapidWord
		m[name] = n
	}
	return n
}

func (x *rapidReader) thread(name string) GID {
	g, ok := x.threads[name]
	if !ok {
		g = GID(len(x.threads))
		x.threads[name] = g
		x.t.Goroutines = append(x.t.Goroutines, Goroutine{ID: g, Parent: g, Path: name})
		x.state = append(x.state, rapidThread{})
	}
	return g
}

// complete makes the events of the trace: with begins, and for threads that
// are joined with posts and ends.
func (x *rapidReader) complete() {
	last := make([]int, len(x.state))
	for i := range last {
		last[i] = -1
	}
	for i, e := range x.raw {
		last[e.G] = i
	}
	begun := make([]bool, len(x.state))
	for i, e := range x.raw {
		if !begun[e.G] && x.state[e.G].forked {
			x.t.Events = append(x.t.Events, Event{Kind: Begin, G: e.G})
		}
		begun[e.G] = true
		if e.Kind == Await {
			e.Obj = joinToken(GID(e.Obj))
		}
		x.t.Events = append(x.t.Events, e)
		if last[e.G] == i && x.state[e.G].joined {
			x.t.Events = append(x.t.Events,
				Event{Kind: Post, G: e.G, Obj: joinToken(e.G)},
				Event{Kind: End, G: e.G})
		}
	}
}

// joinToken is the token that stands for the end of a goroutine.
func joinToken(g GID) uint64 { return uint64(g) + 1 }
