// Package closure stores data in two places; the goroutine for the second
// place shares the variable err with the function that starts it.
package closure

import "sync"

// A Backup stores everything twice.
type Backup struct {
	Pack   func(data string) string
	Local  func(data string) error
	Remote func(data string) error // may fail: then there is only one copy

	mu      sync.Mutex
	steps   int // guarded by mu: for the progress bar
	running sync.WaitGroup
}

// Save stores data in the remote place in the background and, packed, in the
// local one. It returns the local one's error.
func (b *Backup) Save(data string) error {
	var err error
	b.running.Go(func() {
		err = b.Remote(data)
		b.step()
	})
	packed := b.Pack(data)
	b.step()
	err = b.Local(packed)
	return err
}

// Wait waits until everything is stored.
func (b *Backup) Wait() { b.running.Wait() }

func (b *Backup) step() {
	b.mu.Lock()
	b.steps++
	b.mu.Unlock()
}
