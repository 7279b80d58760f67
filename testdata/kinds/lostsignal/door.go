// Package lostsignal is a door that goroutines wait at until it opens.
package lostsignal

// A Door is closed at first.
type Door struct {
	open    bool
	knocked chan struct{}
}

// New returns a closed door.
func New() *Door { return &Door{knocked: make(chan struct{})} }

// Open opens the door, and tells the one who waits there.
func (d *Door) Open() {
	d.open = true
	select {
	case d.knocked <- struct{}{}:
	default: // nobody waits
	}
}

// Pass waits until the door is open.
func (d *Door) Pass() {
	if !d.open {
		<-d.knocked
	}
}
