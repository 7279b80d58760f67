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

	"github.com/gopredict/gopredict/internal/given"
)

// Version is the version of the file format that this package reads and
// writes.
const Version = 1

const magic = "gopredict witness v"

// maxPad is the widest that a column is made for alignment; a longer field
// shifts the rest of its own line only.
const maxPad = 44

// Write writes w in the text format.
func (w *Witness) Write(out io.Writer) error {
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "%s%d\n", magic, Version)
	for _, line := range w.Comment {
		fmt.Fprintf(b, "# %s\n", given.Line(line))
	}
	header := func(key string, values ...string) {
		fmt.Fprintf(b, "%-8s", key)
		for _, v := range values {
			b.WriteString(" " + field(v))
		}
		b.WriteString("\n")
	}
	header("id", w.ID)
	header("kind", string(w.Kind))
	if w.Pattern != "" {
		header("pattern", w.Pattern)
	}
	header("package", w.Package)
	header("tests", w.Tests...)
	if w.Run != "" {
		header("run", w.Run)
	}
	if len(w.Args) > 0 {
		fmt.Fprintf(b, "%-8s", "args")
		for _, a := range w.Args {
			if strings.Contains(a, "=") { // not to be taken for name=value
				a = strconv.Quote(a)
			} else {
				a = field(a)
			}
			b.WriteString(" " + a)
		}
		b.WriteString("\n")
	}
	if w.Parallel > 0 {
		header("parallel", strconv.Itoa(w.Parallel))
	}
	header("go", w.Go)
	if w.Recorded != "" {
		header("recorded", w.Recorded)
	}
	if w.Methods {
		header("atomic", "methods")
	}
	if w.Order != "" {
		header("order", w.Order)
	}
	sections := []struct {
		name  string
		steps []Step
	}{{"steps", w.Steps}, {"hold", w.Hold}, {"violation", w.Violation}, {"pooled", w.Pooled}, {"anchors", w.Anchors}}
	var columns [][5]string // of all sections' steps
	var width [5]int
	for _, section := range sections {
		columns = slices.Grow(columns, len(section.steps))
		for k := range section.steps {
			c := section.steps[k].columns()
			columns = append(columns, c)
			for i := range c {
				if n := utf8.RuneCountInString(c[i]); n <= maxPad {
					width[i] = max(width[i], n)
				}
			}
		}
	}
	for _, section := range sections {
		if len(section.steps) > 0 {
			fmt.Fprintf(b, "\n%s\n", section.name)
		}
		for k := range section.steps {
			b.Write(section.steps[k].appendTo(b.AvailableBuffer(), &columns[0], &width))
			columns = columns[1:]
		}
	}
	return b.Flush()
}

// columns returns the five fields that each step line has.
func (s *Step) columns() [5]string {
	return [5]string{field(s.Goroutine), s.Op.String(), field(s.Expr), field(s.Func), field(s.position())}
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
	// What deviates from the usual.
	text := func(name, value string) {
		space()
		pad = 0
		b = append(append(append(b, name...), '='), value...)
	}
	number := func(name string, n int) {
		text(name, "")
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if s.SiteOp != "" {
		text("site", field(s.SiteOp))
	}
	if s.Nth != 0 {
		number("nth", s.Nth)
	}
	if s.Text != "" {
		text("line", field(s.Text))
	}
	if s.Of > 1 {
		number("which", s.Which)
		b = strconv.AppendInt(append(b, '/'), int64(s.Of), 10)
	}
	if s.Occ != 1 {
		number("occ", s.Occ)
	}
	if s.Case != 0 {
		number("case", s.Case)
	}
	if s.Variable != 0 {
		number("var", s.Variable)
	}
	if s.Region != 0 {
		number("region", s.Region)
	}
	if s.Item != 0 {
		number("item", s.Item)
	}
	if s.Value != "" {
		text("value", field(s.Value))
	}
	return append(b, '\n')
}

// field returns s as one field of a line: "-" if empty, a Go string literal
// if it could be mistaken for something else, else s itself.
func field(s string) string {
	if s == "" {
		return "-"
	}
	if s == "-" || s[0] == '#' || !plain(s) {
		return strconv.Quote(s)
	}
	return s
}

// plain reports whether s is the same whoever reads it, and has no end before its last letter.
func plain(s string) bool {
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
