// Package mail tells customers what has become of their orders.
package mail

import "sync"

// A Sender sends mails in the background. It is safe for use by many goroutines.
type Sender struct {
	Send func(to, text string)
	wg   sync.WaitGroup
}

// Notify sends text to each of the customers.
func (s *Sender) Notify(text string, customers ...string) {
	for _, to := range customers {
		go s.send(to, text)
	}
}

func (s *Sender) send(to, text string) {
	s.wg.Add(1)
	defer s.wg.Done()
	s.Send(to, text)
}

// Flush waits until all has been sent.
func (s *Sender) Flush() {
	s.wg.Wait()
}
