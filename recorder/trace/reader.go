package trace

import "io"

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader) *Reader { return newReader(r) }

// NewRereader returns a reader of the events in r, of which t has all else. Reading stops where it
// stopped the first time.
func NewRereader(r io.Reader, t *Trace, stop Stop) *Reader {
	d := newReader(r)
	d.t, d.scanned, d.scanEnd, d.scanErr = t, true, stop.offset, stop.err
	return d
}

// A Stop is where reading has stopped, and why.
type Stop struct {
	offset int64
	err    error
}

// Stop returns where the first reading has stopped.
func (d *Reader) Stop() Stop { return Stop{d.scanEnd, d.scanErr} }

// Trace returns what was read so far.
func (d *Reader) Trace() *Trace { return d.t }

// Scan reads the whole file and calls take for the events, and free for what is freed between them.
// None of that is kept. Either function may be nil.
func (d *Reader) Scan(take func([]Event), free func(*Freed)) error {
	d.scanEvents, d.scanFreed = take, free
	err := d.read()
	d.scanEvents, d.scanFreed = nil, nil
	if !d.scanned {
		d.scanErr = err
	}
	return err
}

// Rewind prepares for another reading, from the beginning of a file that was read whole, with room
// for so many events.
func (d *Reader) Rewind(room int) { d.rewind(room) }

// Load reads the whole file. Filter is called for the events and adds those to the trace that it
// keeps.
func (d *Reader) Load(filter func([]Event)) error {
	d.filter = filter
	return d.read()
}

// Begin begins to read chunk by chunk: each call of Chunk reads the next one and calls take for its
// events, until it returns an error. End ends that.
func (d *Reader) Begin(take func([]Event)) error {
	d.scanEvents = take
	return d.begin()
}

// Chunk reads the next chunk, see Begin.
func (d *Reader) Chunk() error { return d.chunk() }

// End ends reading chunk by chunk.
func (d *Reader) End() { d.end() }
