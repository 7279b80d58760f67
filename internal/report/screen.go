package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// The levels of detail of a finding, tried one after the other until it fits on a screen.
const (
	fullDetail = iota
	noCreation // without the creation of goroutines, and without callers
	shortTable // and only with the end of the table
	cutShort   // and cut off
)

// writeScreen writes findings for a terminal: the most severe one so that it fits on a screen, the
// others and the warnings in a line each.
func (p *printer) writeScreen(loud, warnings []*Finding) {
	loud = slices.Clone(loud)
	slices.SortStableFunc(loud, func(a, b *Finding) int { return b.Effect.Severity() - a.Effect.Severity() })
	rest := warnings
	if len(loud) > 0 {
		for _, line := range p.linesForScreen(loud[0]) {
			p.printf("%s", line)
		}
		p.printf("%s", bar)
		rest = append(loud[1:], warnings...)
	}
	for _, f := range rest {
		var places []string
		for _, a := range f.Accesses {
			if at := a.Pos(); at != "" && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		text := fmt.Sprintf("%s: %s %s: %s in %s", f.certainty(), f.Title(), strings.Join(places, ", "), f.ID, f.Test)
		p.printf("%s", p.style.strong(clip(text, p.width)))
	}
	if len(rest) > 0 {
		p.printf("%s above; -v shows all of each, and -predict.html=FILE a page.", count(len(rest), "more bug"))
		p.printf("%s", bar)
	}
}

// linesForScreen returns the text of a finding in at most screenLines lines.
func (p *printer) linesForScreen(f *Finding) (lines []string) {
	for level := fullDetail; level <= cutShort; level++ {
		var b bytes.Buffer
		q := *p
		q.w, q.detailLeftOut = bufio.NewWriter(&b), level
		q.writeFinding(f)
		q.w.Flush()
		lines = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) <= screenLines {
			return lines
		}
	}
	// Its end has the effect and the command that replays it.
	const end = 6
	cut := append(slices.Clone(lines[:screenLines-end-1]), "… -v shows all of it")
	return append(cut, lines[len(lines)-end:]...)
}

// writeSource writes the line of the program that has an access, if the text is for a screen.
func (p *printer) writeSource(f *Finding, a Access) {
	if text := strings.TrimSpace(f.sourceLine(a.File, a.Line)); p.screen && text != "" {
		p.printf("%s", p.style.faint(clip("      > "+untabbed(text), p.width)))
	}
}

// sourceLine returns a line of the program, "" if f does not have it.
func (f *Finding) sourceLine(file string, line int) string {
	for _, e := range f.Source {
		if i := line - e.Line; e.File == file && i >= 0 && i < len(e.Lines) {
			return e.Lines[i]
		}
	}
	return ""
}
