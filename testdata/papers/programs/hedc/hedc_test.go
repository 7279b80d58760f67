package hedc

import (
	"fmt"
	"testing"
	"time"
)

func TestSearch(t *testing.T) {
	pages := 12
	if testing.Short() {
		pages = 2
	}
	var archives []*Archive
	for range 8 {
		a := new(Archive)
		for k := range pages {
			a.pages = append(a.pages, fmt.Sprintf("%02d flare\n%02d burst\n", k, k))
		}
		archives = append(archives, a)
	}
	// The last one does not answer in time.
	archives[7].pages, archives[7].delay = archives[7].pages[:1], 40*time.Millisecond
	p := NewPool(6)
	s := p.Search("flare", archives)
	if got, want := s.Wait(10), 7*pages; got < want {
		t.Errorf("%d lines, want %d", got, want)
	}
	p.Close()
	if p.done != len(archives) {
		t.Errorf("%d tasks done, want %d", p.done, len(archives))
	}
}
