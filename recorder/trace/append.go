package trace

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
)

// AppendSites adds to the trace file at path the definitions of those sites
// that its events and goroutines use and that it does not define yet. One
// without an ID tells only what values at the call sites of its key come from
// and go to: Update, Tracked and Formula. A tail
// that a killed program left unfinished is cut off first. A damaged file is
// left as it is: the error is a [*FormatError], and [Trace.AddSites] can still
// complete in memory what [ReadFile] saved of it.
func AppendSites(path string, sites []Site) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = appendSites(f, sites)
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.File = path
	}
	return errors.Join(err, f.Close())
}

func appendSites(f *os.File, sites []Site) error {
	d := newReader(f)
	d.used = map[SiteID]bool{}
	if err := d.read(); err != nil {
		return err
	}
	for _, g := range d.t.Goroutines {
		d.used[g.Site] = true
	}
	if err := f.Truncate(d.off); err != nil {
		return err
	}
	if _, err := f.Seek(d.off, io.SeekStart); err != nil {
		return err
	}
	c := &chunkWriter{w: f}
	for _, s := range d.t.missing(sites, d.used) {
		c.rewrittenSite(s)
	}
	c.flush()
	if c.err != nil {
		// What stands before is whole; a partial chunk is a tail like any other.
		return errors.Join(c.err, f.Truncate(d.off))
	}
	return nil
}

// AddSites is [AppendSites] for a trace in memory.
func (t *Trace) AddSites(sites []Site) {
	used := map[SiteID]bool{}
	for i := range t.Events {
		used[t.Events[i].Site] = true
	}
	for _, g := range t.Goroutines {
		used[g.Site] = true
	}
	if t.Sites == nil {
		t.Sites = map[SiteID]Site{}
	}
	for _, s := range t.missing(sites, used) {
		t.Sites[s.ID] = s
	}
}

// missing returns those of sites that are used and not defined as given,
// sorted by id.
func (t *Trace) missing(sites []Site, used map[SiteID]bool) []Site {
	var need []Site
	calls := map[uint64]Site{}
	for _, s := range sites {
		switch {
		case s.ID == 0:
			calls[s.Key] = s
		case used[s.ID] && t.Sites[s.ID] != s:
			need = append(need, s)
		}
	}
	for _, s := range t.Sites {
		known, ok := calls[s.Key]
		if s.ID&SiteRewritten != 0 || !ok {
			continue
		}
		old := s
		s.Update, s.Tracked, s.Formula = known.Update, known.Tracked, known.Formula
		if s != old {
			need = append(need, s)
		}
	}
	slices.SortFunc(need, func(a, b Site) int { return cmp.Compare(a.ID, b.ID) })
	return need
}
