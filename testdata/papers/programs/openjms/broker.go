package openjms

import "sync"

// A Destination is a queue of messages.
type Destination struct {
	mu       sync.Mutex
	messages []string // guarded by mu
	taken    int      // guarded by mu
}

// Put queues a message.
func (d *Destination) Put(message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages = append(d.messages, message)
}

// Take takes the oldest message, if there is one.
func (d *Destination) Take() (message string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.taken == len(d.messages) {
		return "", false
	}
	message = d.messages[d.taken]
	d.taken++
	return message, true
}

// A Broker has destinations by number.
type Broker struct {
	mu           sync.RWMutex
	destinations []*Destination // guarded by mu
}

// NewBroker returns a broker of n destinations.
func NewBroker(n int) *Broker {
	b := new(Broker)
	for range n {
		b.destinations = append(b.destinations, new(Destination))
	}
	return b
}

// Destination returns one of them.
func (b *Broker) Destination(k int) *Destination {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.destinations[k%len(b.destinations)]
}
