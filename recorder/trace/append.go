package trace

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// AppendSites adds to the trace file at path the definitions of sites that it lacks: those that its
// events and goroutines use, and all others of the same functions, executed or not, because a witness
// tells places apart by their number in the function (witness.Step.SiteNumber). A site without an ID
// describes the values at the call sites of its key: IsUpdate, OnlyInFormulas and Formula.
//
// A tail that a killed program left unfinished is cut off first. A damaged file is
// left as it is: the error is a [*FormatError], and [Trace.AddSites] can still
// complete in memory what [ReadFile] saved of it.
func AppendSites(path string, sites []Site) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(WithFileName(appendSites(f, sites), path), f.Close())
}

func appendSites(f *os.File, sites []Site) error {
	d := NewReader(f)
	used := make(map[SiteID]bool)
	d.scanEvents = func(es []Event) {
		for i := range es {
			used[es[i].Site] = true
		}
	}
	if err := d.read(); err != nil {
		return err
	}
	for _, g := range d.t.Goroutines {
		used[g.Site] = true
	}
	if err := f.Truncate(d.offset); err != nil {
		return err
	}
	if _, err := f.Seek(d.offset, io.SeekStart); err != nil {
		return err
	}
	c := &chunkWriter{w: f}
	missing := NewSiteTable(sites).missing(d.t, used)
	slices.SortFunc(missing, func(a, b Site) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range missing {
		c.rewrittenSite(s)
	}
	for _, s := range missing {
		c.scope(s)
	}
	c.flush()
	if c.err != nil {
		// The file is whole up to here; a partial chunk is an unfinished tail.
		return errors.Join(c.err, f.Truncate(d.offset))
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

// Sites returns the sites that have an ID, by ID.
func (s *SiteTable) Sites() map[SiteID]Site { return s.byID }

// AddTo is [Trace.AddSites] with the sites of s.
func (s *SiteTable) AddTo(t *Trace) {
	used := make(map[SiteID]bool)
	for i := range t.Events {
		if id := t.Events[i].Site; i == 0 || id != t.Events[i-1].Site {
			used[id] = true
		}
	}
	for _, g := range t.Goroutines {
		used[g.Site] = true
	}
	all := make(map[SiteID]Site)
	maps.Copy(all, t.Sites)
	for _, site := range s.missing(t, used) {
		all[site.ID] = site
	}
	t.Sites = all
}

// missing returns the sites that t lacks, or defines otherwise than s, in the functions of the used
// sites.
func (s *SiteTable) missing(t *Trace, used map[SiteID]bool) []Site {
	need := make([]Site, 0, len(used))
	seen := make(map[string]bool) // functions
	for id := range used {
		site, ok := s.byID[id]
		if !ok || seen[site.Func] {
			continue
		}
		seen[site.Func] = true
		for _, id := range s.byFunc[site.Func] {
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
