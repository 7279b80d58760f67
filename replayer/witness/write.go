package witness

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// Write writes w in the text format.
func (w *Witness) Write(out io.Writer) error {
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "%s%d\n", magic, Version)
	for _, line := range w.Comment {
		fmt.Fprintf(b, "# %s\n", untrusted.Line(line))
	}
	for _, h := range headers {
		values := h.get(w)
		if !h.required && strings.Join(values, "") == "" {
			continue
		}
		fmt.Fprintf(b, "%-8s", h.name)
		for _, v := range values {
			if h.isList && strings.Contains(v, "=") { // not to be taken for name=value
				v = strconv.Quote(v)
			} else {
				v = quoteField(v)
			}
			b.WriteString(" " + v)
		}
		b.WriteString("\n")
	}
	var columns [][5]string // of all sections' steps
	var width [5]int
	for _, section := range sections {
		steps := *section.steps(w)
		columns = slices.Grow(columns, len(steps))
		for k := range steps {
			c := steps[k].columns()
			columns = append(columns, c)
			for i := range c {
				if n := utf8.RuneCountInString(c[i]); n <= maxPad {
					width[i] = max(width[i], n)
				}
			}
		}
	}
	for _, section := range sections {
		steps := *section.steps(w)
		if len(steps) > 0 {
			fmt.Fprintf(b, "\n%s\n", section.name)
		}
		for k := range steps {
			b.Write(steps[k].appendTo(b.AvailableBuffer(), &columns[0], &width))
			columns = columns[1:]
		}
	}
	return b.Flush()
}

// columns returns the five fields that each step line has.
func (s *Step) columns() [5]string {
	return [5]string{quoteField(s.Goroutine), s.Op.String(), quoteField(s.Expr), quoteField(s.Func), quoteField(s.position())}
}

// position returns file:line:col. The column is left out where it is unknown,
// unless the file name itself holds a colon, so that it can be read back.
func (s Step) position() string {
	if s.File == "" && s.Line == 0 && s.Col == 0 {
		return ""
	}
	at := s.File + ":" + strconv.Itoa(s.Line)
	if s.Col == 0 && !strings.Contains(s.File, ":") {
		return at
	}
	return at + ":" + strconv.Itoa(s.Col)
}

// appendTo appends the step's line, its columns padded to width runes.
func (s *Step) appendTo(b []byte, columns *[5]string, width *[5]int) []byte {
	pad := 0 // spaces that only come before something
	space := func() {
		for range pad {
			b = append(b, ' ')
		}
		b = append(b, "  "...)
	}
	for i, c := range columns {
		space()
		b = append(b, c...)
		pad = max(width[i]-utf8.RuneCountInString(c), 0)
	}
	for _, f := range stepFields {
		value := ""
		if f.text == nil {
			value = numberUnless(*f.number(s), f.usual)
		} else if *f.text(s) != "" {
			value = quoteField(*f.text(s))
		}
		if f.name == "occ" && s.AlikeCount > 1 {
			space()
			pad = 0
			b = fmt.Appendf(b, "which=%d/%d", s.AlikeNumber, s.AlikeCount)
		}
		if value != "" {
			space()
			pad = 0
			b = append(append(append(b, f.name...), '='), value...)
		}
	}
	return append(b, '\n')
}

// quoteField returns s as one field of a line: "-" if empty, a Go string literal if it could be
// taken for something else, else s itself.
func quoteField(s string) string {
	if s == "" {
		return "-"
	}
	if s == "-" || s[0] == '#' || !isPlain(s) {
		return strconv.Quote(s)
	}
	return s
}

// isPlain reports whether s can stand in a line without quotes: it has no spaces, quotes or
// invisible characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf { // most names have none
			return !strings.ContainsFunc(s, func(r rune) bool {
				return r == '"' || r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r)
			})
		} else if c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}
