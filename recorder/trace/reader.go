package trace

import "io"

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader) *Reader { return newReader(r) }

// NewRereader returns a reader of the events in r. All other data is already in t. Reading stops where
// the first reading stopped.
func NewRereader(r io.Reader, t *Trace, stop EndPoint) *Reader {
	d := newReader(r)
	d.t, d.scanned, d.scanEnd, d.scanErr = t, true, stop.offset, stop.err
	return d
}

// A Stop is the place where a reader stopped, and the error why.
type EndPoint struct {
	offset int64
	err    error
}

// Stop returns the place where the first reading stopped.
func (d *Reader) EndPoint() EndPoint { return EndPoint{d.scanEnd, d.scanErr} }

// Trace returns the trace as far as it was read.
func (d *Reader) Trace() *Trace { return d.t }

// Scan reads the whole file, and calls take for its events and free for memory freed between them.
// Either function may be nil. Scan stores neither events nor freed memory in the trace.
func (d *Reader) Scan(take func([]Event), free func(*FreedObjects)) error {
	d.scanEvents, d.scanFreed = take, free
	err := d.read()
	d.scanEvents, d.scanFreed = nil, nil
	if !d.scanned {
		d.scanErr = err
	}
	return err
}

// Rewind prepares for another reading of a file that was read to its end, from its beginning. The
// trace gets capacity for room events.
func (d *Reader) Rewind(room int) { d.rewind(room) }

// Load reads the whole file. It calls filter for the events, which appends to the trace those to keep.
func (d *Reader) ReadFiltered(filter func([]Event)) error {
	d.filter = filter
	return d.read()
}

// Begin starts reading chunk by chunk. Each call of Chunk reads one chunk and calls take for its
// events, until it returns an error. End must be called afterwards.
func (d *Reader) Start(take func([]Event)) error {
	d.scanEvents = take
	return d.begin()
}

// Chunk reads the next chunk; see Begin.
func (d *Reader) ReadChunk() error { return d.chunk() }

// End ends reading chunk by chunk.
func (d *Reader) Close() { d.end() }
