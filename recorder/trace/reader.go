package trace

import "io"

// NewRereader returns a reader of the events in r. All other data is already in t. Reading stops where
// the first reading stopped.
func NewRereader(r io.Reader, t *Trace, end EndPoint) *Reader {
	d := NewReader(r)
	d.t, d.scanned, d.end = t, true, end
	return d
}

// An EndPoint is the place where a reader stopped, and the error why.
type EndPoint struct {
	offset int64 // in the file
	err    error
}

// EndPoint returns the place where the first reading stopped.
func (d *Reader) EndPoint() EndPoint { return d.end }

// Trace returns the trace as far as it was read.
func (d *Reader) Trace() *Trace { return d.t }

// Scan reads the whole file, and calls take for its events and free for memory freed between them.
// Either function may be nil. Scan stores neither events nor freed memory in the trace.
func (d *Reader) Scan(take func([]Event), free func(*FreedObjects)) error {
	d.scanEvents, d.scanFreed = take, free
	err := d.read()
	d.scanEvents, d.scanFreed = nil, nil
	if !d.scanned {
		d.end.err = err
	}
	return err
}

// ReadFiltered reads the whole file. It calls filter for the events, which appends to the trace those
// to keep.
func (d *Reader) ReadFiltered(filter func([]Event)) error {
	d.filter = filter
	return d.read()
}

// Start starts reading chunk by chunk. Each call of ReadChunk reads one chunk and calls take for its
// events, until it returns an error. Close must be called afterwards.
func (d *Reader) Start(take func([]Event)) error {
	d.scanEvents = take
	return d.start()
}
