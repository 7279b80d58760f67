package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A brevity says what the text of a finding leaves out. The text for a screen tries them in this order
// until the finding fits.
type brevity int

const (
	inFull          brevity = iota
	withoutCreation         // neither where goroutines were created, nor callers
	withShortTable          // only the end of the table, too
	cutOff                  // and cut off where the screen ends
)

// writeScreen writes confirmed findings for a terminal, of which the warnings are last: the most severe
// one so that it fits on a screen, the others in a line each. A warning has no more than its line.
func (p *printer) writeScreen(findings []*Finding) {
	slices.SortStableFunc(findings, func(a, b *Finding) int { return b.Effect.Severity() - a.Effect.Severity() })
	if len(findings) > 0 && !findings[0].warns() {
		for _, line := range p.linesForScreen(findings[0]) {
			p.printf("%s", line)
		}
		p.printf("%s", bar)
		findings = findings[1:]
	}
	for _, f := range findings {
		var places []string
		for _, a := range f.Accesses {
			if at := a.Pos(); at != "" && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		text := fmt.Sprintf("%s: %s %s: %s in %s", f.certainty(), f.Title(), strings.Join(places, ", "), f.ID, f.Test)
		p.printf("%s", p.style.strong(clip(text, p.width)))
	}
	if len(findings) > 0 {
		p.printf("%s above; -v shows all of each, and -predict.html=FILE a page.", count(len(findings), "more bug"))
		p.printf("%s", bar)
	}
}

// linesForScreen returns the text of a finding in at most screenLines lines.
func (p *printer) linesForScreen(f *Finding) (lines []string) {
	for level := inFull; level <= cutOff; level++ {
		var b bytes.Buffer
		q := *p
		q.w, q.brevity = bufio.NewWriter(&b), level
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
	if text := strings.TrimSpace(f.sourceLine(a.Position)); p.screen && text != "" {
		p.printf("%s", p.style.faint(clip("      > "+untabbed(text), p.width)))
	}
}

// sourceLine returns a line of the program, "" if f does not have it.
func (f *Finding) sourceLine(at Position) string {
	for _, e := range f.Source {
		if i := at.Line - e.Line; e.File == at.File && i >= 0 && i < len(e.Lines) {
			return e.Lines[i]
		}
	}
	return ""
}
