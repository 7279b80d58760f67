package trace

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// AppendSites adds to the trace file at path the definitions of those sites
// that its events and goroutines use and that it does not define yet, and of all
// others of the same functions: a place is told apart from those like it by its
// number among all of them (witness.Step.SiteNumber), whether they were executed or not.
// A site without an ID tells only what values at the call sites of its key come
// from and go to: Update, Tracked and Formula. A tail
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
	d.usedSites = map[SiteID]bool{}
	if err := d.read(); err != nil {
		return err
	}
	for _, g := range d.t.Goroutines {
		d.usedSites[g.Site] = true
	}
	if err := f.Truncate(d.off); err != nil {
		return err
	}
	if _, err := f.Seek(d.off, io.SeekStart); err != nil {
		return err
	}
	c := &chunkWriter{w: f}
	need := NewSiteTable(sites).missing(d.t, d.usedSites)
	slices.SortFunc(need, func(a, b Site) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range need {
		c.rewrittenSite(s)
	}
	for _, s := range need {
		c.scope(s)
	}
	c.flush()
	if c.err != nil {
		// What stands before is whole; a partial chunk is a tail like any other.
		return errors.Join(c.err, f.Truncate(d.off))
	}
	return nil
}

// AddSites is [AppendSites] for a trace in memory.
func (t *Trace) AddSites(sites []Site) { NewSiteTable(sites).AddTo(t) }

// A SiteTable has the sites of one build, to be added to many traces.
type SiteTable struct {
	byID   map[SiteID]Site
	byFunc map[string][]SiteID
	calls  map[uint64]Site // those without an ID, by key
}

// NewSiteTable returns the table of sites, as [AppendSites] takes them.
func NewSiteTable(sites []Site) *SiteTable {
	s := &SiteTable{byID: make(map[SiteID]Site, len(sites)), byFunc: map[string][]SiteID{}, calls: map[uint64]Site{}}
	for _, site := range sites {
		if site.ID == 0 {
			s.calls[site.Key] = site
			continue
		}
		s.byID[site.ID] = site
		s.byFunc[site.Func] = append(s.byFunc[site.Func], site.ID)
	}
	return s
}

// Sites returns the sites that have numbers, by these.
func (s *SiteTable) Sites() map[SiteID]Site { return s.byID }

// AddTo is [Trace.AddSites] with the sites of s.
func (s *SiteTable) AddTo(t *Trace) {
	used := map[SiteID]bool{}
	var last [1 << 10]SiteID // that were seen, to ask the map seldom
	for i := range t.Events {
		site := t.Events[i].Site
		if at := &last[site%SiteID(len(last))]; *at != site {
			*at = site
			used[site] = true
		}
	}
	for _, g := range t.Goroutines {
		used[g.Site] = true
	}
	need := s.missing(t, used)
	all := make(map[SiteID]Site, len(t.Sites)+len(need))
	maps.Copy(all, t.Sites)
	for _, site := range need {
		all[site.ID] = site
	}
	t.Sites = all
}

// missing returns the sites of the functions that t uses sites of which it does not
// define as s has them.
func (s *SiteTable) missing(t *Trace, used map[SiteID]bool) []Site {
	need := make([]Site, 0, len(used))
	entered := map[string]bool{}
	for id := range used {
		used, ok := s.byID[id]
		if !ok || entered[used.Func] {
			continue
		}
		entered[used.Func] = true
		for _, id := range s.byFunc[used.Func] {
			if site := s.byID[id]; t.Sites[id] != site {
				need = append(need, site)
			}
		}
	}
	for _, site := range t.Sites {
		known, ok := s.calls[site.Key]
		if site.ID&SiteRewritten != 0 || !ok {
			continue
		}
		old := site
		site.IsUpdate, site.OnlyInFormulas, site.Formula = known.IsUpdate, known.OnlyInFormulas, known.Formula
		if site != old {
			need = append(need, site)
		}
	}
	return need
}
