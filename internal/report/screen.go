package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// screenLines is how many lines the first finding on a terminal has.
const screenLines = 40

// The levels of leaving out, for a finding that is too long.
const (
	fullDetail = iota // all is there
	noCreation        // without where goroutines were created, and who has called
	shortTable        // and with the end of the table only
	cutShort          // and cut off
)

// shortRows is how many rows a short table has.
const shortRows = 7

// writeScreen writes findings for a terminal: the one that does most harm so that it fits on
// a screen, and the others, and warnings, in a line each.
func (p *printer) writeScreen(loud, warnings []*Finding) {
	loud = slices.Clone(loud)
	slices.SortStableFunc(loud, func(a, b *Finding) int { return b.Effect.Harm() - a.Effect.Harm() })
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

// linesForScreen is a finding in at most screenLines lines.
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
	// Its end says what comes of it, and how to see it again.
	const end = 6
	cut := append(slices.Clone(lines[:screenLines-end-1]), "… -v shows all of it")
	return append(cut, lines[len(lines)-end:]...)
}

// writeSource writes on a screen the line of the program that an access is in.
func (p *printer) writeSource(f *Finding, a Access) {
	if text := strings.TrimSpace(f.sourceLine(a.File, a.Line)); p.screen && text != "" {
		p.printf("%s", p.style.faint(clip("      > "+untabbed(text), p.width)))
	}
}

// sourceLine is a line of the program, "" if f does not have it.
func (f *Finding) sourceLine(file string, line int) string {
	for _, e := range f.Source {
		if i := line - e.Line; e.File == file && i >= 0 && i < len(e.Lines) {
			return e.Lines[i]
		}
	}
	return ""
}
