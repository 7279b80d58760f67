package anomaly

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A SyntaxError says what a pattern file should have had where.
//
// Example of its text: patterns.txt:6:8: expected r or w, found "x".
type SyntaxError struct {
	File            string
	Line, Column    int // from 1; the column counts characters
	Expected, Found string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: expected %s, found %s", e.File, e.Line, e.Column, e.Expected, e.Found)
}

// The rows of a pattern, in their order. They are the sequences that make a pattern in PECAN §3. E is
// first, as its length is that of all.
const (
	rowE = iota
	rowT
	rowSV
	rowAR
	rowAT
	numRows
)

var rowNames = [numRows]string{"E", "T", "SV", "AR", "AT"}

var rowDocs = [numRows]string{"the names of events", "the goroutines", "the variables", "the atomic regions", "r or w"}

// ParsePatterns reads patterns from the text of a file. Each is a line with its
// name and five rows of words, one for each event:
//
//	pattern r-w-r
//	E   e1 e2 e3    names of the events, in their order
//	T   t1 t2 t1    goroutines
//	SV  s1 s1 s1    variables
//	AR  u1 u2 u1    atomic regions
//	AT  r  w  r     read or write
//
// A "#" begins a comment; empty lines do not count. The error is a
// [*SyntaxError]. One is also a pattern that no events can match, or that does
// not depend on the order of events: a region is of one goroutine, which does
// not leave it and come back; and two goroutines access one variable, at least
// one of them writing.
func ParsePatterns(file, text string) ([]Pattern, error) {
	p := &parser{file: file, names: make(map[string]bool)}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if ws := words(n+1, line); len(ws) > 0 {
			p.lines = append(p.lines, ws)
		}
	}
	p.end = word{line: strings.Count(text, "\n") + 1, column: 1, text: "the end of the file"}
	for len(p.lines) > 0 {
		if err := p.pattern(); err != nil {
			return nil, err
		}
	}
	if len(p.patterns) == 0 {
		return nil, p.wrong(p.end, "a pattern")
	}
	return p.patterns, nil
}

// A word stands at a place in the file.
type word struct {
	line, column int
	text         string
}

// words splits line number n.
//
// Example: "AT  r w" has AT at column 1, r at 5 and w at 7.
func words(n int, line string) (ws []word) {
	column, start := 0, true
	for _, r := range line {
		column++
		switch {
		case unicode.IsSpace(r):
			start = true
		case start:
			ws, start = append(ws, word{n, column, string(r)}), false
		default:
			ws[len(ws)-1].text += string(r)
		}
	}
	return ws
}

// end stands for the word after the last one, so that an error can point there.
type parser struct {
	file     string
	lines    [][]word // those to come
	end      word
	names    map[string]bool
	patterns []Pattern
}

func (p *parser) wrong(w word, expected string) error {
	found := w.text
	if w != p.end {
		found = fmt.Sprintf("%.40q", w.text)
	}
	return &SyntaxError{p.file, w.line, w.column, expected, found}
}

// pattern reads one pattern.
func (p *parser) pattern() error {
	head := p.lines[0]
	p.lines = p.lines[1:]
	switch {
	case head[0].text != "pattern":
		return p.wrong(head[0], `"pattern" and a name`)
	case len(head) == 1:
		return p.wrong(head[0], `a name after "pattern"`)
	case len(head) > 2:
		return p.wrong(head[2], "nothing after the name")
	case p.names[head[1].text]:
		return p.wrong(head[1], "a name that no other pattern has")
	}
	p.names[head[1].text] = true
	var rows [numRows][]word
	for k := range rows {
		row, err := p.row(k, len(rows[rowE]))
		if err != nil {
			return err
		}
		rows[k] = row
	}
	if err := p.check(rows); err != nil {
		return err
	}
	pattern := Pattern{Name: head[1].text, Events: make([]PatternEvent, len(rows[rowE]))}
	var numbers [numRows][]int
	for k, row := range rows {
		numbers[k] = number(row)
	}
	for i := range pattern.Events {
		pattern.Events[i] = PatternEvent{
			rows[rowE][i].text, numbers[rowT][i], numbers[rowSV][i], numbers[rowAR][i], rows[rowAT][i].text == "w",
		}
	}
	p.patterns = append(p.patterns, pattern)
	return nil
}

// row reads row k, of n words; the first row decides how many.
func (p *parser) row(k, n int) ([]word, error) {
	expected := fmt.Sprintf("%q and %s", rowNames[k], rowDocs[k])
	if len(p.lines) == 0 {
		return nil, p.wrong(p.end, expected)
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	row := line[1:]
	switch {
	case line[0].text != rowNames[k]:
		return nil, p.wrong(line[0], expected)
	case k == rowE && len(row) < 2:
		return nil, p.wrong(line[len(line)-1], "two events or more")
	case k > rowE && len(row) > n:
		return nil, p.wrong(row[n], fmt.Sprintf("one word for each of %d events", n))
	case k > rowE && len(row) < n:
		// What is missing has no place of its own: the error points at the last word of the row.
		return nil, p.wrong(line[len(line)-1], fmt.Sprintf("one word for each of %d events after it", n-len(row)))
	}
	for i, w := range row {
		switch {
		case k == rowAT && w.text != "r" && w.text != "w":
			return nil, p.wrong(w, "r or w")
		case k == rowE && slices.ContainsFunc(row[:i], func(o word) bool { return o.text == w.text }):
			return nil, p.wrong(w, "another name for each event")
		}
	}
	return row, nil
}

// number numbers different words from 0.
//
// Example: "t1 t2 t1" becomes 0 1 0. Only equality of names has a meaning.
func number(row []word) []int {
	ids, numbers := make(map[string]int), make([]int, len(row))
	for i, w := range row {
		id, ok := ids[w.text]
		if !ok {
			id = len(ids)
			ids[w.text] = id
		}
		numbers[i] = id
	}
	return numbers
}

// check refuses what no events can match.
//
// Example: with T "t1 t1 t1" and AR "u1 u2 u1", the goroutine comes back to u1. As u1 would have
// ended, no events of a trace match.
func (p *parser) check(rows [numRows][]word) error {
	ts, vars, regions := rows[rowT], rows[rowSV], rows[rowAR]
	conflict := false
	for i := range ts {
		inside := true // all of the goroutine's events from k to i are in its region
		for k := i - 1; k >= 0; k-- {
			same := regions[k].text == regions[i].text
			if ts[k].text != ts[i].text {
				if same {
					return p.wrong(regions[i], fmt.Sprintf("a region of goroutine %s, as one region is of one goroutine", ts[i].text))
				}
				conflict = conflict || vars[k].text == vars[i].text && (rows[rowAT][k].text == "w" || rows[rowAT][i].text == "w")
				continue
			}
			if same && !inside {
				return p.wrong(regions[i], fmt.Sprintf("a region that goroutine %s has not left before", ts[i].text))
			}
			inside = inside && same
		}
	}
	if !conflict {
		return p.wrong(ts[0], "two goroutines that access one variable, at least one of them writing")
	}
	return nil
}
