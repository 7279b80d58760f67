package trace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
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
	c.meta(t)
	for id, name := range t.TestNames {
		c.begin(nameChunk)
		number := uint32(id)
		c.write(&number, &name)
	}
	for _, g := range t.Goroutines {
		if g.Path != "" { // otherwise no goroutine has this ID
			c.begin(goroutineChunk)
			c.write(g.fields()...)
		}
	}
	for _, blocked := range t.Blocked {
		if !t.defined(uint64(blocked.G)) {
			return fmt.Errorf("trace: goroutine %d is stuck, expected one that is defined", blocked.G)
		}
		c.blocked(blocked)
	}
	c.sites(slices.Sorted(maps.Keys(t.Sites)), t.Sites)
	freed, prior := t.Freed, t.PriorValues
	for i := range t.Events {
		freed = FreedBefore(freed, i, c.freed)
		if expected, found := t.checkIndices(&t.Events[i]); expected != "" {
			return fmt.Errorf("trace: event %d: expected %s, found %s", i, expected, found)
		}
		var before *PriorValue
		if len(prior) > 0 && prior[0].Position == i {
			before, prior = &prior[0], prior[1:]
		}
		c.event(&t.Events[i], before)
	}
	FreedBefore(freed, math.MaxInt, c.freed)
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
	w       io.Writer
	typ     chunkType // of the chunk that is being gathered; 0 if none
	payload []byte
	// goroutine is that of the last event of the chunk, or noGoroutine.
	goroutine GID
	guesses   guesses
	err       error
}

// noGoroutine is the GID of no goroutine.
const noGoroutine GID = math.MaxUint32

// fail records the first error.
func (c *chunkWriter) fail(expected, found string) {
	if c.err == nil {
		c.err = fmt.Errorf("trace: expected %s, found %s", expected, found)
	}
}

// begin starts a definition in a chunk of type typ. It reports whether the
// chunk is a new one.
func (c *chunkWriter) begin(typ chunkType) bool {
	if c.typ == typ && len(c.payload) < chunkSize {
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
	if len(c.payload) > maxPayload {
		c.fail(fmt.Sprintf("definitions of up to %d bytes", maxPayload), fmt.Sprintf("one of %d", len(c.payload)))
		return
	}
	var h [headerSize]byte
	h[0] = byte(c.typ)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(c.payload)))
	binary.LittleEndian.PutUint64(h[8:], checksum(c.payload))
	for _, b := range [][]byte{h[:], c.payload} {
		if _, err := c.w.Write(b); err != nil {
			c.err = err
			return
		}
	}
	c.typ, c.payload = 0, c.payload[:0]
}

// sites writes the sites of the given ids, each in the chunk that can hold it.
func (c *chunkWriter) sites(ids []SiteID, sites map[SiteID]Site) {
	for _, id := range ids {
		s := sites[id]
		if s != (Site{ID: id, Key: s.Key, Line: s.Line, Func: s.Func, File: s.File}) {
			c.rewrittenSite(s)
			continue
		}
		c.begin(callSiteChunk)
		c.write(s.callSiteFields()...)
	}
	for _, id := range ids {
		c.scope(sites[id])
	}
}

func (c *chunkWriter) freed(f *FreedObjects) {
	if c.begin(eventChunk) {
		c.goroutine = noGoroutine
	}
	e := f.event()
	c.payload = c.guesses.pack(c.payload, &e)
}

// event writes e, and before it the prior value of its memory if that is not nil.
func (c *chunkWriter) event(e *Event, prior *PriorValue) {
	if fresh := c.begin(eventChunk); fresh || e.G != c.goroutine {
		c.payload = c.guesses.pack(c.payload, &Event{Site: SiteID(e.G)})
		c.goroutine = e.G
	}
	if prior != nil {
		before := prior.event(e)
		c.payload = c.guesses.pack(c.payload, &before)
	}
	c.payload = c.guesses.pack(c.payload, e)
}
