// Package counter serves pages and feeds, and counts how often.
package counter

import (
	"strings"
	"sync"
	"sync/atomic"
)

// A Page is published while visitors come.
type Page struct {
	title string

	mu     sync.Mutex
	visits int // guarded by mu
}

// Publish gives the page a title.
func (p *Page) Publish(title string) {
	p.title = title
	p.visit()
}

// Title is what a visitor sees.
func (p *Page) Title(loud bool) string {
	p.visit()
	if loud {
		return strings.ToUpper(p.title)
	}
	return p.title
}

func (p *Page) visit() {
	p.mu.Lock()
	p.visits++
	p.mu.Unlock()
}

// A Feed has one item.
type Feed struct {
	item   string
	visits atomic.Int64
}

// Publish replaces the item.
func (f *Feed) Publish(item string) {
	f.item = item
	f.visits.Add(1)
}

// Item is what a visitor sees.
func (f *Feed) Item(loud bool) string {
	f.visits.Add(1)
	if loud {
		return strings.ToUpper(f.item)
	}
	return f.item
}
