// Package user has bugs that no built-in pattern describes, or only in part.
package user

import (
	"sync"
	"testing"
	"time"
)

// A mailbox has room for one letter.
type mailbox struct {
	mu     sync.Mutex
	letter string
}

func (m *mailbox) put(letter string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.letter = letter
}

func (m *mailbox) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.letter
}

func TestMailbox(t *testing.T) {
	var m mailbox
	var wg sync.WaitGroup
	// Mostly the one that is started last goes first, then the others in turn.
	wg.Go(func() {
		time.Sleep(15 * time.Millisecond)
		if letter := m.take(); letter == "from Bob" {
			t.Error("Ann's letter is lost")
		}
	})
	wg.Go(func() {
		time.Sleep(60 * time.Millisecond)
		m.put("from Bob")
	})
	wg.Go(func() {
		m.put("from Ann")
	})
	wg.Wait()
}

// A calendar has a date of three parts.
type calendar struct {
	mu               sync.Mutex
	year, month, day int
}

//gopredict:atomic
func (c *calendar) set(year, month, day int) {
	c.mu.Lock()
	c.year = year
	c.mu.Unlock()
	c.mu.Lock()
	c.month = month
	c.mu.Unlock()
	c.mu.Lock()
	c.day = day
	c.mu.Unlock()
}

//gopredict:atomic
func (c *calendar) date() (year, month, day int) {
	c.mu.Lock()
	year = c.year
	c.mu.Unlock()
	c.mu.Lock()
	month = c.month
	c.mu.Unlock()
	c.mu.Lock()
	day = c.day
	c.mu.Unlock()
	return year, month, day
}

func TestCalendar(t *testing.T) {
	var wg sync.WaitGroup
	c := &calendar{year: 1999, month: 12, day: 31}
	wg.Go(func() { time.Sleep(5 * time.Millisecond); c.set(2000, 1, 1) })
	wg.Go(func() {
		if year, month, day := c.date(); year == 1999 && month != 12 || year == 2000 && day != 1 {
			t.Errorf("no such day: %d-%d-%d", year, month, day)
		}
	})
	wg.Wait()
}
