package explore

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/replayer/witness"
)

// This file tells of each bug as soon as it is confirmed: the report comes only when all is
// done, which may take minutes.

// noted are the bugs, by their sites, that were told of.
type noted struct {
	mu    sync.Mutex
	sites map[string]bool
}

// note tells of the bug that w has been confirmed for, once for all tests and recordings
// that show it. Replays beside each other call it.
func (c *confirmation) note(w *witness.Witness) {
	if c.opts.Note == nil {
		return
	}
	n := &c.setting.noted
	n.mu.Lock()
	defer n.mu.Unlock()
	sites := sitesOf(w)
	if n.sites[sites] {
		return
	}
	if n.sites == nil {
		n.sites = make(map[string]bool)
	}
	n.sites[sites] = true
	var places []string
	for _, s := range w.Violation {
		if place := fmt.Sprintf("%s:%d", s.File, s.Line); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	in := c.run.Package.Path
	if len(w.Tests) > 0 {
		in = w.Tests[0] + ", " + in
	}
	c.opts.Note(fmt.Sprintf("confirmed: %s in %s: %s", strings.ToLower(w.Kind.Title(len(w.Violation))), in, strings.Join(places, ", ")))
}
