package explore

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/replayer/witness"
)

// announced are the bugs, by their sites, that the user was told of.
type announced struct {
	mu    sync.Mutex
	sites map[string]bool
}

// announce tells the user of the bug that w has been confirmed for, once for all tests and
// recordings that show it: the report comes only at the end, maybe after minutes. It may be
// called concurrently.
func (s *session) announce(pkg string, w *witness.Witness) {
	if s.opts.OnBug == nil {
		return
	}
	s.announced.mu.Lock()
	defer s.announced.mu.Unlock()
	sites := finding.Sites(w)
	if s.announced.sites[sites] {
		return
	}
	if s.announced.sites == nil {
		s.announced.sites = make(map[string]bool)
	}
	s.announced.sites[sites] = true
	var places []string
	for _, step := range w.Violation {
		if place := fmt.Sprintf("%s:%d", step.File, step.Line); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	in := pkg
	if len(w.Tests) > 0 {
		in = w.Tests[0] + ", " + in
	}
	s.opts.OnBug(fmt.Sprintf("confirmed: %s in %s: %s", strings.ToLower(w.Kind.Title(len(w.Violation))), in, strings.Join(places, ", ")))
}
