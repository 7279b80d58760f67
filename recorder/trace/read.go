package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ReadFile reads the trace file at path; see [Decode]. A [*FormatError] names
// the file.
func ReadFile(path string) (*Trace, error) { return readFile(path, longFile) }

// readFile is [ReadFile]; files of at least long bytes are read twice.
func readFile(path string, long int64) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newReader(f)
	if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
		d.size = fi.Size()
	}
	if d.size < long {
		return d.t, WithFileName(d.read(), path)
	}
	events := 0
	d.scanEvents = func(es []Event) { events += len(es) }
	d.scanErr = d.read()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return d.t, err
	}
	d.rewind(events + extraCapacity)
	return d.t, WithFileName(d.read(), path)
}

// longFile is the least size of a file, in bytes, that is read twice. The first reading counts the
// events, so that no memory is allocated in vain; as events are packed, the size does not tell their
// number.
const longFile = 8 << 20

// extraCapacity is room for events that are added to a long trace: the operations in which goroutines
// are blocked.
const extraCapacity = 1 << 8

// ReadSummary is [ReadFile] without the events, whose number it returns. It stops counting once there
// are more than most.
func ReadSummary(path string, most int) (t *Trace, events int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	d := newReader(f)
	d.scanEvents = func(es []Event) {
		events += len(es)
		d.skipEvents = events > most
	}
	err = d.read()
	return d.t, events, WithFileName(err, path)
}

// ReadPart is [ReadFile], but it keeps only some events of a long file, and no records of freed memory
// or of what memory held. It calls keep with a trace that has one event for each site, so that sites
// can be added. The result is tells for each event, in order, whether to keep it. The result decide is
// an estimate of the data events kept ([Event.IsDataEvent]), or more.
func ReadPart(path string, keep func(*Trace) (is func(*Event) bool, decide int)) (*Trace, error) {
	return readPart(path, longFile, keep)
}

// readPart is ReadPart; files of at least long bytes count as long.
func readPart(path string, long int64, keep func(*Trace) (is func(*Event) bool, decide int)) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || fi.Size() < long {
		return ReadFile(path)
	}
	d := newReader(f)
	sites := make(map[SiteID]bool)
	deciding, others := 0, 0
	d.scanEvents = func(es []Event) {
		for i := range es {
			e := &es[i]
			if !sites[e.Site] {
				sites[e.Site] = true
				d.t.Events = append(d.t.Events, *e)
			}
			if e.IsDataEvent() {
				deciding++
			} else {
				others++
			}
		}
	}
	d.scanErr = d.read()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return d.t, err
	}
	is, decide := keep(d.t)
	d.freedCount = 0
	d.rewind(others + min(decide, deciding) + extraCapacity)
	d.scanEvents = func(es []Event) {
		for i := range es {
			if e := &es[i]; is(e) {
				d.t.Events = append(d.t.Events, *e)
			}
		}
	}
	return d.t, WithFileName(d.read(), path)
}

// InFile sets the file name in err if it is a [*FormatError].
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
	d := newReader(r)
	err := d.read()
	return d.t, err
}

// A Reader decodes a trace chunk by chunk. Package reduce uses it to read long traces several times
// and in parts.
type Reader struct {
	r    io.Reader
	t    *Trace
	size int64 // of the file, or 0 if unknown
	off  int64 // offset in the file after the chunks read so far
	buf  bytes.Buffer
	// usedSites, if not nil, collects the sites of the events, and no events are stored.
	usedSites map[SiteID]bool
	// scanEvents, if not nil, is called for the events instead of storing them; scanFreed is called for
	// the memory that is freed between them.
	scanEvents func([]Event)
	scanFreed  func(*FreedObjects)
	skipEvents bool          // all further events are skipped
	filter     func([]Event) // appends the events to keep to the trace; nil keeps all
	scanned    bool          // an earlier reading has read all but the events; it stopped at scanEnd with scanErr
	scanEnd    int64
	scanErr    error
	freedCount int // records of freed memory that were not stored

	goroutines, names int // definitions so far
	texts             texts
	guesses           *guesses // while reading
	batch             [1 << 8]Event
	batchLen          int // decoded events that are still in batch
}

func newReader(r io.Reader) *Reader {
	return &Reader{r: r, t: &Trace{Sites: map[SiteID]Site{}}}
}

// guessTables has tables of guesses that readers no longer use. A table is larger than most traces of a
// replay.
var guessTables = sync.Pool{New: func() any { return new(guesses) }}

// read reads all chunks. Afterwards off is the end of the valid prefix.
func (d *Reader) read() error {
	err := d.begin()
	defer d.end()
	for err == nil {
		err = d.chunk()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// begin starts reading at the magic number.
func (d *Reader) begin() error {
	d.guesses = guessTables.Get().(*guesses)
	*d.guesses = guesses{}
	return d.readMagic()
}

// chunk reads the next chunk.
func (d *Reader) chunk() error {
	start := d.off
	typ, payload, err := d.readChunk()
	if err == nil {
		err = d.decode(typ, payload, start+headerSize)
	}
	if err != nil {
		d.off = start
		return err
	}
	d.off = start + headerSize + int64(len(payload))
	return nil
}

// end releases the memory that only reading needs.
func (d *Reader) end() {
	d.t.settleHeld(Event{})
	guessTables.Put(d.guesses)
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
	d.off = int64(len(magic))
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
		return 0, nil, &FormatError{Offset: d.off, Expected: "a chunk type (one of M E G S N R C X and three zeros)",
			Found: fmt.Sprintf("%q", h[:4])}
	}
	if d.t.Complete && typ != siteChunk && typ != scopeChunk {
		return 0, nil, &FormatError{Offset: d.off, Expected: "nothing but R and C chunks after X", Found: fmt.Sprintf("%q", h[0])}
	}
	length := binary.LittleEndian.Uint32(h[4:])
	if length > maxPayload {
		return 0, nil, &FormatError{Offset: d.off + 4, Expected: fmt.Sprintf("a length up to %d", maxPayload),
			Found: fmt.Sprint(length)}
	}
	d.buf.Reset() // grows with what is really there, whatever the length says
	n, err := io.CopyN(&d.buf, d.r, int64(length))
	if err == io.EOF || err == nil && n < int64(length) {
		return 0, nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, err
	}
	want, got := binary.LittleEndian.Uint64(h[8:]), checksum(d.buf.Bytes())
	if want != got {
		return 0, nil, &FormatError{Offset: d.off, Expected: fmt.Sprintf("checksum %#x", want), Found: fmt.Sprintf("%#x", got)}
	}
	return typ, d.buf.Bytes(), nil
}

// decode adds the content of a chunk to the trace. The payload starts at offset base of the file.
func (d *Reader) decode(typ chunkType, payload []byte, base int64) error {
	switch {
	case typ == eventChunk && d.skipEvents:
		return nil
	case typ == eventChunk:
		return d.decodeEvents(payload, base)
	case d.scanned && base == d.scanEnd+headerSize:
		return d.scanErr
	case d.scanned:
		d.t.Complete = typ == endChunk || d.t.Complete
		return nil
	}
	f := &fields{p: payload, base: base}
	for len(f.p) > 0 && f.err == nil {
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
			f.fail("no payload in X", fmt.Sprintf("%d bytes", len(f.p)))
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
	known := false // whose events the chunk has
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
	case e.Kind == freedKind || e.Kind == heldKind:
		d.addBetweenEvents(*e)
	case !*known:
		return "the goroutine of the chunk's events", "an event"
	default:
		if expected, found = d.t.sound(e); expected == "" {
			d.batchLen++
		}
	}
	return expected, found
}

// addBetweenEvents adds a record that stands between events: freed memory, or what memory held before
// a write.
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
	case e.Kind == freedKind:
		d.t.Freed = append(d.t.Freed, FreedObjects{e.Obj, e.Val, e.Size, int32(len(d.t.Events))})
	default:
		d.t.hold(e.Val)
	}
}

// flushBatch passes on the decoded events of the batch, and empties it.
func (d *Reader) flushBatch() {
	es := d.batch[:d.batchLen]
	d.batchLen = 0
	switch {
	case len(es) == 0:
	case d.usedSites != nil:
		for i := range es {
			d.usedSites[es[i].Site] = true
		}
	case d.scanEvents != nil:
		d.scanEvents(es)
	default:
		d.addEvents(es)
	}
}

// addEvents adds consecutive events to the trace, through the filter if there is one.
func (d *Reader) addEvents(es []Event) {
	d.t.settleHeld(es[0])
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
func (d *Reader) storesEvents() bool { return d.usedSites == nil && d.scanEvents == nil }

// rewind prepares for another reading of the file from its beginning, with capacity for room events.
func (d *Reader) rewind(room int) {
	if !d.scanned {
		d.scanned, d.scanEnd, d.scanEvents = true, d.off, nil
	}
	if cap(d.t.Events) < room {
		d.t.Events = nil // before there are both
		d.t.Events = make([]Event, 0, room)
	}
	d.off = 0
	d.t.Events, d.t.Freed, d.t.PriorValues, d.t.OmittedEvents, d.t.Complete = d.t.Events[:0], slices.Grow([]FreedObjects(nil), d.freedCount), nil, 0, false
}

// grow makes room for further events. It doubles the capacity, or extrapolates from the part of the
// file read so far if that is less. The extrapolation is generous, as events at the beginning are
// often shorter than later ones.
func (d *Reader) grow() {
	es := d.t.Events
	if d.size == 0 {
		return // as append does
	}
	room := max(1<<10, 2*len(es))
	if d.off > 0 {
		room = min(room, max(len(es)+len(es)/8, int(float64(len(es))*float64(d.size)/float64(d.off)*1.02)))
	}
	d.t.Events = append(make([]Event, 0, room), es...)
}

// sound checks that the numbers in e are valid indices. It returns what was expected and found, or
// empty strings if all is well.
func (t *Trace) sound(e *Event) (expected, found string) {
	switch {
	case !e.Kind.Valid():
		return fmt.Sprintf("an event kind from 1 to %d", NumKinds-1), fmt.Sprint(uint8(e.Kind))
	case !t.defined(uint64(e.G)):
		return "an event of a defined goroutine", fmt.Sprint("goroutine ", e.G)
	case of[e.Kind].obj == ArgGoroutine && !t.defined(e.Obj):
		return "a fork of a defined goroutine", fmt.Sprint("goroutine ", e.Obj)
	case of[e.Kind].obj == ArgTest && e.Obj >= uint64(len(t.TestNames)):
		return "the number of a defined test name", fmt.Sprint(e.Obj)
	}
	return "", ""
}

// needsCheck is set for the kinds of which [Trace.sound] checks more than the goroutine.
var needsCheck = func() (all [256]bool) {
	for k := range all {
		all[k] = !Kind(k).Valid() || of[k].obj == ArgGoroutine || of[k].obj == ArgTest
	}
	return all
}()

// defined reports whether goroutine g has a definition.
func (t *Trace) defined(g uint64) bool {
	return g < uint64(len(t.Goroutines)) && t.Goroutines[g].Path != ""
}

func (d *Reader) decodeMeta(f *fields) {
	its, _, ok := bytes.Cut(f.p, []byte("\n"))
	line := string(its) // nothing else of the chunk stays
	key, val, ok2 := strings.Cut(line, " ")
	if !ok || !ok2 {
		f.fail("a line \"key value\"", fmt.Sprintf("%q", line))
		return
	}
	switch key { // unknown keys are left to newer readers
	case "go":
		d.t.Meta.Go = val
	case "dir":
		d.t.Meta.Dir = val
	case "binary":
		d.t.Meta.Binary = val
	case "limit":
		n, err := strconv.ParseUint(val, 10, 64)
		if err != nil {
			f.fail("a number of bytes as limit", fmt.Sprintf("%q", val))
			return
		}
		d.t.Meta.Limit = n
	case "cut":
		what, test, _ := strings.Cut(val, " ")
		if what != cutAccesses && what != cutSync {
			f.fail("cut "+cutAccesses+" or "+cutSync, fmt.Sprintf("%q", what))
			return
		}
		d.t.Cuts = append(d.t.Cuts, Cut{Test: test, LacksSync: what == cutSync})
	case "unseen":
		what, test, _ := strings.Cut(val, " ")
		if !slices.Contains(unseenWords, what) {
			f.fail("unseen, and one of "+strings.Join(unseenWords, ", "), fmt.Sprintf("%q", what))
			return
		}
		d.t.HiddenInputs = append(d.t.HiddenInputs, HiddenInput{test, what})
	case "tested":
		e, err := decodeTested(val)
		if err != nil {
			f.fail(err.Error(), fmt.Sprintf("%q", line))
			return
		}
		d.t.TestEvents = append(d.t.TestEvents, e)
	case "stuck", "frame", "asked":
		if err := d.t.decodeStuck(key, val); err != nil {
			f.fail(err.Error(), fmt.Sprintf("%q", line))
			return
		}
	case "text":
		digest, quoted, _ := strings.Cut(val, " ")
		n, err := strconv.ParseUint(digest, 16, 64)
		text, err2 := strconv.Unquote(`"` + quoted + `"`)
		if err != nil || err2 != nil {
			f.fail("text, a digest and what may stand in quotes", fmt.Sprintf("%q", line))
			return
		}
		d.t.text(n, text)
	}
	f.skip(len(line) + 1)
}
