package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadFile reads the trace file at path; see [Decode]. A [*FormatError] names
// the file.
func ReadFile(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := NewReader(f)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		d.size = info.Size()
	}
	return d.t, WithFileName(d.read(), path)
}

// WithFileName sets the file name in err if it is a [*FormatError].
func WithFileName(err error, path string) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.File = path
	}
	return err
}

// Decode reads a trace in the binary format. The trace that it returns is never
// nil and holds the longest valid prefix of the input, also if there is an
// error: a [*FormatError] for damage, or what r failed with. An input that
// merely stops, as that of a killed program, is no error; Complete is false
// then.
//
// All events of a trace that Decode returned have a kind of the table, and their
// goroutines, forked goroutines and test names are defined: G, the Obj of a
// fork and the Obj of a test's begin and end are valid indices.
func Decode(r io.Reader) (*Trace, error) {
	d := NewReader(r)
	err := d.read()
	return d.t, err
}

// A Reader decodes a trace chunk by chunk. Package reduce uses it to read long traces several times
// and in parts.
type Reader struct {
	r      io.Reader
	t      *Trace
	size   int64 // of the file, or 0 if unknown
	offset int64 // in the file, after the chunks read so far
	buf    bytes.Buffer
	// scanEvents, if not nil, is called for the events instead of storing them. scanFreed is called for
	// the memory that is freed between them.
	scanEvents func([]Event)
	scanFreed  func(*FreedObjects)
	filter     func([]Event) // appends the events to keep to the trace; nil keeps all
	scanned    bool          // an earlier reading has read all but the events, and stopped at end
	end        EndPoint
	freedCount int // number of records of freed memory that Scan did not store

	goroutines, names int               // definitions so far
	tests             map[string]string // names of tests, for [Reader.shared]
	guesses           *guesses          // while reading
	batch             [1 << 8]Event
	batchLen          int // decoded events that are still in batch
}

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, t: &Trace{Sites: map[SiteID]Site{}}, tests: make(map[string]string)}
}

// read reads all chunks. Afterwards off is the end of the valid prefix.
func (d *Reader) read() error {
	err := d.start()
	defer d.Close()
	for err == nil {
		err = d.ReadChunk()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// start starts reading at the magic number.
func (d *Reader) start() error {
	d.guesses = new(guesses)
	return d.readMagic()
}

// ReadChunk reads the next chunk; see [Reader.Start].
func (d *Reader) ReadChunk() error {
	start := d.offset
	typ, payload, err := d.readChunk()
	if err == nil {
		err = d.decode(typ, payload, start+headerSize)
	}
	if err != nil {
		d.offset = start
		return err
	}
	d.offset = start + headerSize + int64(len(payload))
	return nil
}

// Close ends reading, and releases the memory that only reading needs.
func (d *Reader) Close() {
	d.t.settlePriorValue(Event{})
	d.guesses = nil
}

func (d *Reader) readMagic() error {
	var m [len(magic)]byte
	n, err := io.ReadFull(d.r, m[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	got := string(m[:n])
	switch {
	case n == 0:
		return &FormatError{Expected: "a gopredict trace", Found: "an empty file: the recorded program wrote nothing"}
	case n == len(m) && got[:n-1] == magic[:n-1] && got != magic:
		return &FormatError{Offset: int64(n - 1), Expected: "trace version " + magic[n-1:],
			Found: fmt.Sprintf("version %q: read it with the gopredict that recorded it", got[n-1:])}
	case got != magic:
		return &FormatError{Expected: fmt.Sprintf("%q, the mark of a gopredict trace", magic), Found: fmt.Sprintf("%q", got)}
	}
	d.offset = int64(len(magic))
	return nil
}

// readChunk returns the next chunk; the payload is valid until the next call.
func (d *Reader) readChunk() (chunkType, []byte, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(d.r, h[:]); err != nil {
		return 0, nil, err
	}
	typ := chunkType(h[0])
	if !typ.known() || h[1]|h[2]|h[3] != 0 {
		return 0, nil, &FormatError{Offset: d.offset, Expected: "a chunk type (one of M E G S N R C X and three zeros)",
			Found: fmt.Sprintf("%q", h[:4])}
	}
	if d.t.Complete && typ != siteChunk && typ != scopeChunk {
		return 0, nil, &FormatError{Offset: d.offset, Expected: "nothing but R and C chunks after X", Found: fmt.Sprintf("%q", h[0])}
	}
	length := binary.LittleEndian.Uint32(h[4:])
	if length > maxPayload {
		return 0, nil, &FormatError{Offset: d.offset + 4, Expected: fmt.Sprintf("a length up to %d", maxPayload),
			Found: fmt.Sprint(length)}
	}
	d.buf.Reset() // grows with the bytes read, not by the length, which may be damaged
	n, err := io.CopyN(&d.buf, d.r, int64(length))
	if err == io.EOF || err == nil && n < int64(length) {
		return 0, nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, err
	}
	want, got := binary.LittleEndian.Uint64(h[8:]), checksum(d.buf.Bytes())
	if want != got {
		return 0, nil, &FormatError{Offset: d.offset, Expected: fmt.Sprintf("checksum %#x", want), Found: fmt.Sprintf("%#x", got)}
	}
	return typ, d.buf.Bytes(), nil
}

// decode adds the content of a chunk to the trace. The payload starts at offset base of the file.
func (d *Reader) decode(typ chunkType, payload []byte, base int64) error {
	switch {
	case typ == eventChunk:
		return d.decodeEvents(payload, base)
	case d.scanned && base == d.end.offset+headerSize:
		return d.end.err
	case d.scanned:
		d.t.Complete = typ == endChunk || d.t.Complete
		return nil
	}
	f := &fields{payload: payload, offset: base}
	for len(f.payload) > 0 && f.err == nil {
		switch typ {
		case metaChunk:
			d.decodeMeta(f)
		case goroutineChunk:
			d.decodeGoroutine(f)
		case callSiteChunk:
			d.decodeCallSite(f)
		case nameChunk:
			d.decodeName(f)
		case siteChunk:
			d.decodeSite(f)
		case scopeChunk:
			d.decodeScope(f)
		case endChunk:
			f.fail("no payload in X", fmt.Sprintf("%d bytes", len(f.payload)))
		}
	}
	if f.err == nil && typ == endChunk {
		d.t.Complete = true
	}
	return f.err
}

// decodeEvents adds the events of a chunk, whose payload starts at offset base of the file.
func (d *Reader) decodeEvents(p []byte, base int64) error {
	defer d.flushBatch()
	known := false // whether g is the goroutine of the events
	var g GID
	for at := 0; at < len(p); {
		if d.batchLen == len(d.batch) {
			d.flushBatch()
		}
		e := &d.batch[d.batchLen]
		n := d.guesses.unpack(p[at:], e)
		if n == 0 {
			return &FormatError{Offset: base + int64(at), Expected: "an event", Found: fmt.Sprintf("%d bytes that are not a whole one", len(p)-at)}
		}
		if e.G = g; known && !needsCheck[e.Kind] {
			d.batchLen++
		} else if expected, found := d.decodeSpecial(e, &known); expected != "" {
			return &FormatError{Offset: base + int64(at), Expected: expected, Found: found}
		}
		g = e.G
		at += n
	}
	return nil
}

// decodeSpecial handles a record that may be no event, or an event that must be checked; known tells
// whether the goroutine of the events is known, and may be set. It returns what was expected and
// found, or empty strings if all is well.
func (d *Reader) decodeSpecial(e *Event, known *bool) (expected, found string) {
	switch {
	case e.Kind == None && e.Flags == 0 && e.Size == 0:
		e.G, *known = GID(e.Site), true
		if !d.t.defined(uint64(e.G)) {
			return "an event of a defined goroutine", fmt.Sprint("goroutine ", e.G)
		}
	case e.Kind == freedKind || e.Kind == priorValueKind || e.Kind == allocatedKind:
		d.addBetweenEvents(*e)
	case !*known:
		return "the goroutine of the chunk's events", "an event"
	default:
		if expected, found = d.t.checkIndices(e); expected == "" {
			d.batchLen++
		}
	}
	return expected, found
}

// addBetweenEvents adds a record that is no event: freed memory, an object that was made, or the prior
// value of a write.
func (d *Reader) addBetweenEvents(e Event) {
	d.flushBatch()
	switch {
	case e.Kind == freedKind && d.scanFreed != nil:
		d.scanFreed(&FreedObjects{FirstAddr: e.Obj, Mask: e.Val, Size: e.Size})
	case e.Kind == freedKind && !d.storesEvents():
		if !d.scanned {
			d.freedCount++
		}
	case !d.storesEvents():
	case e.Kind == allocatedKind:
		if g := uint64(uint32(e.Val)); d.t.defined(g) && d.filter == nil {
			d.t.Allocations = append(d.t.Allocations, Allocation{e.Obj, e.Size, uint32(e.Val >> 32), GID(g), int32(len(d.t.Events))})
		}
	case e.Kind == freedKind:
		d.t.Freed = append(d.t.Freed, FreedObjects{e.Obj, e.Val, e.Size, int32(len(d.t.Events))})
	default:
		d.t.addPriorValue(e.Val)
	}
}

// flushBatch passes on the decoded events of the batch, and empties it.
func (d *Reader) flushBatch() {
	es := d.batch[:d.batchLen]
	d.batchLen = 0
	switch {
	case len(es) == 0:
	case d.scanEvents != nil:
		d.scanEvents(es)
	default:
		d.addEvents(es)
	}
}

// addEvents adds consecutive events to the trace, through the filter if there is one.
func (d *Reader) addEvents(es []Event) {
	d.t.settlePriorValue(es[0])
	if len(d.t.Events)+len(es) > cap(d.t.Events) {
		d.grow()
	}
	if d.filter != nil {
		d.filter(es)
	} else {
		d.t.Events = append(d.t.Events, es...)
	}
}

// storesEvents reports whether events are stored in the trace.
func (d *Reader) storesEvents() bool { return d.scanEvents == nil }

// Rewind prepares for another reading of a file that was read to its end, from its beginning. The
// trace gets capacity for room events.
func (d *Reader) Rewind(room int) {
	if !d.scanned {
		d.scanned, d.end.offset = true, d.offset
	}
	if cap(d.t.Events) < room {
		d.t.Events = nil // so that there are never both
		d.t.Events = make([]Event, 0, room)
	}
	d.offset = 0
	d.t.Events, d.t.Freed, d.t.PriorValues, d.t.OmittedEvents, d.t.Complete = d.t.Events[:0], slices.Grow([]FreedObjects(nil), d.freedCount), nil, 0, false
	d.t.Allocations = nil
}

// grow makes room for further events. It doubles the capacity, or extrapolates from the part of the
// file read so far if that is less. The extrapolation is generous, as events at the beginning are
// often shorter than later ones.
func (d *Reader) grow() {
	es := d.t.Events
	if d.size == 0 {
		return // append grows the slice
	}
	room := max(1<<10, 2*len(es))
	if d.offset > 0 {
		room = min(room, max(len(es)+len(es)/8, int(float64(len(es))*float64(d.size)/float64(d.offset)*1.02)))
	}
	d.t.Events = append(make([]Event, 0, room), es...)
}

// checkIndices checks that the numbers in e are valid indices. It returns what was expected and found, or
// empty strings if all is well.
func (t *Trace) checkIndices(e *Event) (expected, found string) {
	switch {
	case !e.Kind.Valid():
		return fmt.Sprintf("an event kind from 1 to %d", NumKinds-1), fmt.Sprint(uint8(e.Kind))
	case !t.defined(uint64(e.G)):
		return "an event of a defined goroutine", fmt.Sprint("goroutine ", e.G)
	case traitsOf[e.Kind].obj == ArgGoroutine && !t.defined(e.Obj):
		return "a fork of a defined goroutine", fmt.Sprint("goroutine ", e.Obj)
	case traitsOf[e.Kind].obj == ArgTest && e.Obj >= uint64(len(t.TestNames)):
		return "the number of a defined test name", fmt.Sprint(e.Obj)
	}
	return "", ""
}

// needsCheck is set for kinds whose events have indices besides the goroutine: see [Trace.checkIndices].
var needsCheck = func() (all [256]bool) {
	for k := range all {
		all[k] = !Kind(k).Valid() || traitsOf[k].obj == ArgGoroutine || traitsOf[k].obj == ArgTest
	}
	return all
}()

// defined reports whether goroutine g has a definition.
func (t *Trace) defined(g uint64) bool {
	return g < uint64(len(t.Goroutines)) && t.Goroutines[g].Path != ""
}
