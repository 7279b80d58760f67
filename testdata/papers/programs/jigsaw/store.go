package jigsaw

import "sync"

// A Resource is a page of the server.
type Resource struct {
	mu   sync.Mutex
	hits int    // guarded by mu
	last int    // the event that asked for it last; guarded by mu
	etag uint32 // guarded by mu
}

// A Store has the pages.
type Store struct {
	mu    sync.RWMutex
	pages []*Resource // guarded by mu
}

// NewStore returns a store of n pages.
func NewStore(n int) *Store {
	s := new(Store)
	for range n {
		s.pages = append(s.pages, new(Resource))
	}
	return s
}

func (s *Store) lookup(k int) *Resource {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[k%len(s.pages)]
}

// Serve answers an event.
func (s *Store) Serve(e int) {
	r := s.lookup(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hits++
	r.last = e
	r.etag = r.etag*31 + uint32(e)
}

// Hits returns how often pages were asked for.
func (s *Store) Hits() (n int) {
	for _, r := range s.pages {
		r.mu.Lock()
		n += r.hits
		r.mu.Unlock()
	}
	return n
}
