// Package tracetest makes traces for the tests of the analyses: from text that
// a reader can follow, and at random from a small model of Go's concurrency.
package tracetest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/recorder/trace"
)

// short are the short forms that Parse takes for event kinds.
var short = map[string]trace.Kind{"r": trace.Read, "w": trace.Write}

// Parse makes a trace of lines such as
//
//	1 w x        goroutine 1 writes the 8 bytes of x
//	1 r x=3      … reads 3 from it
//	2 recvd c#4  … receives element 4 of channel c (also tickets, deltas, cases)
//	1 sent c#1/2 … through a channel of capacity 2 (also sizes of accesses)
//	1 fork 2
//	1 w x :store the event has the name "store": see [ParseNamed]
//
// with the words of trace.Kind, r and w. Line n of the text is line n of
// test.go, and its site; "@9" at the end sets another line, "data" and
// "update" mark the site as trace.Site.OnlyStored and Update, "default" a select that has one, "+4" after a name adds
// to its address. Empty lines
// and what follows "//" do not count. Goroutine n is the n-th child of
// goroutine 0, in test TestX.
func Parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, _ := ParseNamed(t, text)
	return tr
}

// ParseNamed is [Parse] that also returns the names of events.
func ParseNamed(t testing.TB, text string) (*trace.Trace, EventNames) {
	t.Helper()
	p := &parser{tr: newTrace(), addresses: make(map[string]uint64), events: make(EventNames)}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) > 0 && !p.line(n+1, fields) {
			t.Fatalf("line %d: cannot read event %q", n+1, line)
		}
	}
	return p.tr, p.events
}

// EventNames has the positions of events by their names. The second event with a name has it with a 2
// after it, and so on.
type EventNames map[string]int

// add names an event.
func (n EventNames) add(name string, position int) {
	unique := name
	for k := 2; ; k++ {
		if _, taken := n[unique]; !taken {
			break
		}
		unique = name + strconv.Itoa(k)
	}
	n[unique] = position
}

// Of returns the names of events, separated by spaces. An event without a name has its position.
func (n EventNames) Of(positions []int) string {
	names := make([]string, len(positions))
	for k, position := range positions {
		names[k] = strconv.Itoa(position)
		for name, at := range n {
			if at == position {
				names[k] = name
			}
		}
	}
	return strings.Join(names, " ")
}

type parser struct {
	tr        *trace.Trace
	addresses map[string]uint64 // by names of objects
	events    EventNames
}

func (p *parser) line(n int, fields []string) bool {
	g, err := strconv.Atoi(fields[0])
	if err != nil || len(fields) < 2 {
		return false
	}
	p.goroutine(g)
	kind, ok := short[fields[1]]
	if !ok {
		kind, ok = trace.KindOf(fields[1])
	}
	if !ok {
		return false
	}
	e := trace.Event{Kind: kind, G: trace.GID(g)}
	if kind.IsAccess() {
		e.Size = 8
	}
	var flow trace.Site
	for _, f := range fields[2:] {
		switch {
		case f == "data":
			flow.OnlyStored = true
		case f == "update":
			flow.IsUpdate = true
		case f == "default":
			e.Flags |= trace.FlagDefault
		case f[0] == ':':
			p.events.add(f[1:], len(p.tr.Events))
		case f[0] == '@':
			n, err = strconv.Atoi(f[1:])
		default:
			err = p.operand(&e, f)
		}
		if err != nil {
			return false
		}
	}
	e.Site = p.site(n, e, flow)
	p.tr.Events = append(p.tr.Events, e)
	return true
}

// operand reads name[+offset][=value][#number][/size].
func (p *parser) operand(e *trace.Event, f string) error {
	if e.Kind == trace.Fork {
		child, err := strconv.ParseUint(f, 10, 32)
		p.goroutine(int(child))
		e.Obj = child
		return err
	}
	name := f
	for name != "" {
		cut := strings.LastIndexAny(name, "+=#/")
		if cut < 0 {
			break
		}
		v, err := strconv.ParseInt(name[cut+1:], 0, 64)
		if err != nil {
			return err
		}
		switch name[cut] {
		case '+':
			e.Obj += uint64(v)
		case '=':
			e.Val, e.Flags = uint64(v), e.Flags|trace.FlagValue
		case '#':
			e.Val = uint64(v)
		case '/':
			e.Size = uint32(v)
		}
		name = name[:cut]
	}
	if name == "" {
		return nil
	}
	if p.addresses[name] == 0 {
		p.addresses[name] = 0x1000 * uint64(len(p.addresses)+1)
	}
	e.Obj += p.addresses[name]
	return nil
}

func (p *parser) goroutine(g int) {
	for len(p.tr.Goroutines) <= g {
		addGoroutine(p.tr)
	}
}

func (p *parser) site(line int, e trace.Event, flow trace.Site) trace.SiteID {
	id := trace.SiteID(line)
	if e.Kind.IsAccess() || e.Kind == trace.Branch {
		id |= trace.SiteRewritten
	}
	p.tr.Sites[id] = trace.Site{
		ID: id, Key: uint64(id), Func: "example.com/x.TestX", File: "/src/x/test.go", Line: line,
		Op: e.Kind.String(), Expr: "x", OnlyStored: flow.OnlyStored, IsUpdate: flow.IsUpdate,
	}
	return id
}
