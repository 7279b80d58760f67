package trace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// chunkSize is where the writer ends a chunk, in bytes.
const chunkSize = 64 << 10

// Encode writes t in the binary format, the same bytes for equal traces. It
// fails if w does, or if t holds what the format cannot: a string of more than
// 65535 bytes, a line beyond 32 bits, an event that [Decode] would reject.
func Encode(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	if _, err := b.WriteString(magic); err != nil {
		return err
	}
	c := &chunkWriter{w: b}
	c.meta(t.Meta)
	for _, cut := range t.Cuts {
		c.cut(cut)
	}
	for _, u := range t.HiddenInputs {
		c.unseen(u)
	}
	for _, e := range t.TestEvents {
		c.tested(e)
	}
	for _, digest := range slices.Sorted(maps.Keys(t.ValueTexts)) {
		c.text(digest, t.ValueTexts[digest])
	}
	for id, name := range t.TestNames {
		c.begin(nameChunk)
		c.uint32(uint32(id))
		c.string("test name", name)
	}
	for _, g := range t.Goroutines {
		c.goroutine(g)
	}
	for _, s := range t.Blocked {
		if !t.defined(uint64(s.G)) {
			return fmt.Errorf("trace: goroutine %d is stuck, expected one that is defined", s.G)
		}
		c.stuck(s)
	}
	c.sites(slices.Sorted(maps.Keys(t.Sites)), t.Sites)
	freed, held := t.Freed, t.PriorValues
	for i := range t.Events {
		for len(freed) > 0 && int(freed[0].Position) <= i {
			c.freed(freed[0])
			freed = freed[1:]
		}
		if expected, found := t.sound(&t.Events[i]); expected != "" {
			return fmt.Errorf("trace: event %d: expected %s, found %s", i, expected, found)
		}
		var h *PriorValue
		if len(held) > 0 && held[0].Position == i {
			h, held = &held[0], held[1:]
		}
		c.event(&t.Events[i], h)
	}
	for _, f := range freed {
		c.freed(f)
	}
	if t.Complete {
		c.begin(endChunk)
	}
	c.flush()
	if c.err != nil {
		return c.err
	}
	return b.Flush()
}

// chunkWriter gathers definitions and events into chunks. Nothing is written
// after the first error.
type chunkWriter struct {
	w   io.Writer
	typ chunkType // of the chunk that is being gathered; 0 if none
	p   []byte
	// turn is the goroutine of the last event of the chunk, or noGoroutine.
	turn    GID
	guesses guesses
	err     error
}

// noGoroutine is the GID of no goroutine.
const noGoroutine GID = math.MaxUint32

// begin starts a definition in a chunk of type typ. It reports whether the
// chunk is a new one.
func (c *chunkWriter) begin(typ chunkType) bool {
	if c.typ == typ && len(c.p) < chunkSize {
		return false
	}
	c.flush()
	c.typ = typ
	return true
}

func (c *chunkWriter) flush() {
	if c.typ == 0 || c.err != nil {
		return
	}
	if len(c.p) > maxPayload {
		c.err = fmt.Errorf("trace: expected definitions of up to %d bytes, found one of %d", maxPayload, len(c.p))
		return
	}
	var h [headerSize]byte
	h[0] = byte(c.typ)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(c.p)))
	binary.LittleEndian.PutUint64(h[8:], checksum(c.p))
	for _, b := range [][]byte{h[:], c.p} {
		if _, err := c.w.Write(b); err != nil {
			c.err = err
			return
		}
	}
	c.typ, c.p = 0, c.p[:0]
}

func (c *chunkWriter) uint32(v uint32) { c.p = binary.LittleEndian.AppendUint32(c.p, v) }
func (c *chunkWriter) uint64(v uint64) { c.p = binary.LittleEndian.AppendUint64(c.p, v) }

func (c *chunkWriter) string(what, s string) {
	if len(s) > math.MaxUint16 && c.err == nil {
		c.err = fmt.Errorf("trace: expected a %s of up to %d bytes, found %d: %.40q…", what, math.MaxUint16, len(s), s)
		return
	}
	c.p = binary.LittleEndian.AppendUint16(c.p, uint16(len(s)))
	c.p = append(c.p, s...)
}

// line writes a line or column.
func (c *chunkWriter) line(v int) {
	if (v < 0 || int64(v) > math.MaxUint32) && c.err == nil {
		c.err = fmt.Errorf("trace: expected a line or column of 32 bits, found %d", v)
	}
	c.uint32(uint32(v))
}

func (c *chunkWriter) meta(m Meta) {
	c.begin(metaChunk)
	for _, kv := range [][2]string{{"go", m.Go}, {"dir", m.Dir}, {"binary", m.Binary}} {
		if strings.Contains(kv[1], "\n") && c.err == nil {
			c.err = fmt.Errorf("trace: expected one line for %s, found %q", kv[0], kv[1])
		}
		c.p = append(c.p, kv[0]+" "+kv[1]+"\n"...)
	}
	if m.Limit > 0 {
		c.p = append(c.p, fmt.Sprintf("limit %d\n", m.Limit)...)
	}
}

func (c *chunkWriter) cut(cut Cut) {
	what := cutAccesses
	if cut.LacksSync {
		what = cutSync
	}
	c.ofTest("cut", what, cut.Test)
}

func (c *chunkWriter) unseen(u HiddenInput) {
	if !slices.Contains(unseenWords, u.Source) && c.err == nil {
		c.err = fmt.Errorf("trace: expected as unseen one of %s, found %q", strings.Join(unseenWords, ", "), u.Source)
	}
	c.ofTest("unseen", u.Source, u.Test)
}

// ofTest writes meta data of a test.
func (c *chunkWriter) ofTest(key, what, test string) {
	if strings.Contains(test, "\n") && c.err == nil {
		c.err = fmt.Errorf("trace: expected one line for the name of a test, found %q", test)
	}
	c.begin(metaChunk)
	c.p = append(c.p, fmt.Sprintf("%s %s %s\n", key, what, test)...)
}

func (c *chunkWriter) text(digest uint64, text string) {
	c.begin(metaChunk)
	quoted := strconv.Quote(text)
	c.p = append(c.p, fmt.Sprintf("text %x %s\n", digest, quoted[1:len(quoted)-1])...)
}

func (c *chunkWriter) goroutine(g Goroutine) {
	if g.Path == "" {
		return // a gap in the numbers
	}
	c.begin(goroutineChunk)
	c.uint32(uint32(g.ID))
	c.uint32(uint32(g.Parent))
	c.uint32(uint32(g.Site))
	c.string("test name", g.Test)
	c.string("goroutine path", g.Path)
}

// sites writes the sites of the given ids, each in the chunk that can hold it.
func (c *chunkWriter) sites(ids []SiteID, sites map[SiteID]Site) {
	for _, id := range ids {
		s := sites[id]
		if s == (Site{ID: id, Key: s.Key, Line: s.Line, Func: s.Func, File: s.File}) {
			c.begin(callSiteChunk)
			c.uint32(uint32(id))
			c.uint64(s.Key)
			c.line(s.Line)
			c.string("function name", s.Func)
			c.string("file name", s.File)
			continue
		}
		c.rewrittenSite(s)
	}
	for _, id := range ids {
		c.scope(sites[id])
	}
}

func (c *chunkWriter) rewrittenSite(s Site) {
	c.begin(siteChunk)
	c.uint32(uint32(s.ID))
	c.uint64(s.Key)
	c.line(s.Line)
	c.line(s.Col)
	flags := byte(0)
	if s.OnlyStored {
		flags |= siteData
	}
	if s.IsUpdate {
		flags |= siteUpdate
	}
	if s.OnlyInFormulas {
		flags |= siteTracked
	}
	switch s.FailsIf {
	case IfFalse:
		flags |= siteFalse
	case IfTrue:
		flags |= siteTrue
	}
	if s.FailureEndsGoroutine {
		flags |= siteStops
	}
	if s.Formula != "" {
		flags |= siteFormula
	}
	if s.Type != TypeUnknown {
		flags |= siteType
	}
	c.p = append(c.p, flags)
	c.string("function name", s.Func)
	c.string("file name", s.File)
	c.string("operation", s.Op)
	c.string("expression", s.Expr)
	if s.Formula != "" {
		c.string("formula", s.Formula)
	}
	if s.Type != TypeUnknown {
		c.p = append(c.p, byte(s.Type))
	}
}

// scope writes the control scope of a site, if it has one.
func (c *chunkWriter) scope(s Site) {
	if s.Scope == (Scope{}) {
		return
	}
	c.begin(scopeChunk)
	c.uint32(uint32(s.ID))
	c.line(s.Scope.LastLine)
	flags := byte(0)
	if s.Scope.HarmlessIfTrue {
		flags |= scopeTrue
	}
	if s.Scope.HarmlessIfFalse {
		flags |= scopeFalse
	}
	if s.Scope.HasCalls {
		flags |= scopeCalls
	}
	c.p = append(c.p, flags)
}

func (c *chunkWriter) freed(f FreedObjects) {
	if c.begin(eventChunk) {
		c.turn = noGoroutine
	}
	e := f.event()
	c.p = c.guesses.pack(c.p, &e)
}

// event writes e, and h before it if that is not nil.
func (c *chunkWriter) event(e *Event, h *PriorValue) {
	if fresh := c.begin(eventChunk); fresh || e.G != c.turn {
		c.p = c.guesses.pack(c.p, &Event{Site: SiteID(e.G)})
		c.turn = e.G
	}
	if h != nil {
		before := h.event(e)
		c.p = c.guesses.pack(c.p, &before)
	}
	c.p = c.guesses.pack(c.p, e)
}
