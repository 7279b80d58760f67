// Package weblech is the mirror of web sites of that name: spiders take addresses
// from one queue, and stop when it is empty and nobody loads a page any more. As
// there, how many do so, and whether to stop, is asked without the lock.
package weblech

import (
	"strings"
	"sync"
	"time"
)

// A Site has pages by address.
type Site map[string]string

// links returns the addresses in a page: what is in quotes.
func links(page string) (to []string) {
	for k, part := range strings.Split(page, `"`) {
		if k%2 == 1 {
			to = append(to, part)
		}
	}
	return to
}

// A Queue is the addresses that are to be loaded, and those that were seen.
type Queue struct {
	waiting []string
	seen    map[string]bool
}

func (q *Queue) add(address string) {
	if !q.seen[address] {
		q.seen[address] = true
		q.waiting = append(q.waiting, address)
	}
}

func (q *Queue) next() string {
	address := q.waiting[0]
	q.waiting = q.waiting[1:]
	return address
}

func (q *Queue) size() int { return len(q.waiting) }

// A Spider mirrors a site.
type Spider struct {
	site Site

	mu     sync.Mutex
	queue  Queue             // guarded by mu
	mirror map[string]string // guarded by mu

	loading int  // goroutines between take and keep; written under mu
	quit    bool // nothing more is to be loaded
	bytes   int  // of all pages
	alive   sync.WaitGroup
}

// New returns a spider that begins at one address.
func New(site Site, start string) *Spider {
	s := &Spider{site: site, queue: Queue{seen: make(map[string]bool)}, mirror: make(map[string]string)}
	s.queue.add(start)
	return s
}

// Start lets n goroutines load pages.
func (s *Spider) Start(n int) {
	for range n {
		s.alive.Go(s.run)
	}
}

func (s *Spider) run() {
	for (s.size() > 0 || s.loading > 0) && !s.quit {
		address := s.take()
		if address == "" { // others may find more
			time.Sleep(time.Millisecond)
			continue
		}
		page := s.site[address]
		time.Sleep(time.Duration(len(address)) * 100 * time.Microsecond)
		s.bytes += len(page)
		s.keep(address, page)
	}
}

func (s *Spider) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.size()
}

func (s *Spider) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.size() == 0 {
		return ""
	}
	s.loading++
	return s.queue.next()
}

// keep keeps a page, and queues what it leads to.
func (s *Spider) keep(address, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mirror[address] = page
	for _, to := range links(page) {
		s.queue.add(to)
	}
	s.loading--
}

// Pages returns how many pages were mirrored.
func (s *Spider) Pages() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mirror)
}

// Stop lets the goroutines end after the page that they load, and waits for them.
func (s *Spider) Stop() {
	s.quit = true
	s.alive.Wait()
}
