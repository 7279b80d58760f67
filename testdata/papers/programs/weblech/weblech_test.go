package weblech

import (
	"fmt"
	"testing"
	"time"
)

// site returns pages each of which leads to the next one, every fourth to the next
// four.
func site(pages int) Site {
	s := make(Site)
	for k := range pages {
		s[name(k)] = fmt.Sprintf(`<a href="%s"> `, name((k+1)%pages))
		for next := k + 2; k%4 == 0 && next < k+5; next++ {
			s[name(k)] += fmt.Sprintf(`<a href="%s"> `, name(next%pages))
		}
	}
	return s
}

func name(k int) string { return fmt.Sprintf("page%d", k) }

func TestMirror(t *testing.T) {
	pages := 200
	if testing.Short() {
		pages = 12
	}
	s := New(site(pages), name(0))
	s.Start(2)
	for s.Pages() < pages {
		time.Sleep(2 * time.Millisecond)
	}
	s.Stop()
	if s.loading != 0 {
		t.Errorf("%d pages are still being loaded", s.loading)
	}
}
