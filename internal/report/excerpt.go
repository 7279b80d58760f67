package report

import (
	"cmp"
	"slices"
)

// around is how many lines of the program a report has before and after each of a
// finding's places.
const around = 3

// excerpts fills in the lines of the program around the places of f.
func (f *Finding) excerpts(ev *Evidence) {
	if ev.Source == nil {
		return
	}
	type spot struct {
		file string
		line int
	}
	var spots []spot
	add := func(file string, line int) {
		if file != "" && line > 0 {
			spots = append(spots, spot{file, line})
		}
	}
	f.places(add)
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line) })
	spots = slices.Compact(spots)
	for i := 0; i < len(spots); {
		at := spots[i]
		from, to := max(at.line-around, 1), at.line+around
		for i++; i < len(spots) && spots[i].file == at.file && spots[i].line-around <= to+1; i++ {
			to = spots[i].line + around
		}
		e := Excerpt{File: at.file, Line: from}
		path := ev.Files.Path(at.file)
		for line := from; line <= to; line++ {
			e.Lines = append(e.Lines, ev.Source(path, line))
		}
		for len(e.Lines) > 0 && e.Lines[len(e.Lines)-1] == "" { // of the file's end, too
			e.Lines = e.Lines[:len(e.Lines)-1]
		}
		if len(e.Lines) > 0 {
			f.Source = append(f.Source, e)
		}
	}
}

// places calls add with each place that f tells of, in no special order.
func (f *Finding) places(add func(file string, line int)) {
	f.Touch(add)
	for _, s := range f.Interleaving {
		add(s.File, s.Line)
	}
	if f.Time != nil {
		add(f.Time.File, f.Time.Line)
	}
}

// Touch calls add with each place that the bug is about, in no special order: its accesses
// and where their goroutines wait, what they hold, who holds what they wait for, and where
// they were created.
func (f *Finding) Touch(add func(file string, line int)) {
	all := func(places []Place) {
		for _, p := range places {
			add(p.File, p.Line)
		}
	}
	others := func(list []Other) {
		for _, o := range list {
			add(o.File, o.Line)
		}
	}
	for _, a := range slices.Concat(f.Accesses, f.Also) {
		add(a.File, a.Line)
		all(a.Locks)
		all(a.Stack)
		others(a.HeldBy)
		others(a.Partners)
		for _, p := range []*Place{a.CreatedAt, a.CreatedFor} {
			if p != nil {
				add(p.File, p.Line)
			}
		}
	}
}
