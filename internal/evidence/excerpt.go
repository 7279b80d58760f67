package evidence

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/internal/report"
)

// addExcerpts adds to f the lines of the program around its places.
func (b builder) addExcerpts(f *report.Finding) {
	if b.Source == nil {
		return
	}
	var spots []report.Position
	add := func(at report.Position) {
		if at.File != "" && at.Line > 0 {
			spots = append(spots, at)
		}
	}
	f.ForEachPosition(add)
	for _, s := range f.Interleaving {
		add(s.Position)
	}
	if f.Time != nil {
		add(f.Time.Position)
	}
	slices.SortFunc(spots, func(a, b report.Position) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	for i := 0; i < len(spots); {
		at := spots[i]
		from, to := max(at.Line-report.SourceContext, 1), at.Line+report.SourceContext
		for i++; i < len(spots) && spots[i].File == at.File && spots[i].Line-report.SourceContext <= to+1; i++ {
			to = spots[i].Line + report.SourceContext
		}
		e := report.Excerpt{File: at.File, Line: from}
		path := b.Files.Path(at.File)
		for line := from; line <= to; line++ {
			e.Lines = append(e.Lines, b.Source(path, line))
		}
		for len(e.Lines) > 0 && e.Lines[len(e.Lines)-1] == "" { // of the file's end, too
			e.Lines = e.Lines[:len(e.Lines)-1]
		}
		if len(e.Lines) > 0 {
			f.Source = append(f.Source, e)
		}
	}
}
