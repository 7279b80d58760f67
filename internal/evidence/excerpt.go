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
	f.ForEachPlace(add)
	for _, s := range f.Interleaving {
		add(s.File, s.Line)
	}
	if f.Time != nil {
		add(f.Time.File, f.Time.Line)
	}
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line) })
	spots = slices.Compact(spots)
	for i := 0; i < len(spots); {
		at := spots[i]
		from, to := max(at.line-report.SourceContext, 1), at.line+report.SourceContext
		for i++; i < len(spots) && spots[i].file == at.file && spots[i].line-report.SourceContext <= to+1; i++ {
			to = spots[i].line + report.SourceContext
		}
		e := report.Excerpt{File: at.file, Line: from}
		path := b.Files.Path(at.file)
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
