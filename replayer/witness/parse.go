package witness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Parse reads a witness. Name is used in errors, which begin with
// "name:line:".
func Parse(name string, r io.Reader) (*Witness, error) {
	p := parser{w: new(Witness), seen: make(map[string]bool)}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	line := 0
	for sc.Scan() {
		line++
		if err := p.line(line, sc.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := sc.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: line is longer than %d bytes", name, line+1, maxLine)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.finish(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, max(line, 1), err)
	}
	return p.w, nil
}

// A parser holds what was read so far.
type parser struct {
	w       *Witness
	section *[]Step         // where step lines go; nil in the header
	seen    map[string]bool // headers and sections that were read
	steps   int             // number of steps in all sections
}

// line reads the n-th line, counted from 1.
func (p *parser) line(n int, text string) error {
	if n == 1 {
		return checkVersion(text)
	}
	fields, err := splitFields(text)
	if err != nil {
		return err
	}
	if len(fields) == 0 {
		return nil
	}
	if len(fields) == 1 && !fields[0].quoted {
		if k := slices.IndexFunc(sections, func(s section) bool { return s.name == fields[0].text }); k >= 0 {
			p.section = sections[k].steps(p.w)
			return p.markSeen(fields[0].text)
		}
	}
	if p.section == nil {
		return p.header(fields)
	}
	s, err := parseStep(fields)
	if err == nil {
		err = checkStep(&s)
	}
	if err != nil {
		return err
	}
	if p.steps++; p.steps > maxSteps {
		return fmt.Errorf("more than %d steps", maxSteps)
	}
	*p.section = append(*p.section, s)
	return nil
}

// checkVersion checks the first line.
func checkVersion(line string) error {
	v, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), magic)
	if n, err := strconv.Atoi(v); !ok || err != nil {
		return fmt.Errorf("not a gopredict witness: the first line is %.60q, expected \"%s%d\"", line, magic, Version)
	} else if n != Version {
		return fmt.Errorf("witness version %d, this gopredict reads version %d", n, Version)
	}
	return nil
}

// markSeen returns an error for a header or section that comes twice.
func (p *parser) markSeen(name string) error {
	if p.seen[name] {
		return fmt.Errorf("second %q; each header and section comes once", name)
	}
	p.seen[name] = true
	return nil
}

func (p *parser) header(fields []token) error {
	key := fields[0].text
	if err := p.markSeen(key); err != nil {
		return err
	}
	var values []string
	for _, f := range fields[1:] {
		if f.key != "" {
			return fmt.Errorf("header %q: found %.40q, expected a plain value", key, f.text)
		}
		v, err := f.meaning()
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	k := slices.IndexFunc(headers, func(h header) bool { return h.name == key })
	switch {
	case k < 0:
		return fmt.Errorf("unknown header %.40q, expected %s, or a section: %s", key, namesOf(headers, func(h header) string { return h.name }), namesOf(sections, func(s section) string { return s.name }))
	case !headers[k].isList && len(values) != 1:
		return fmt.Errorf("header %q has %d values, expected 1", key, len(values))
	}
	return headers[k].set(p.w, values)
}

// namesOf returns the names of a list, separated by commas.
func namesOf[T any](all []T, name func(T) string) string {
	var names []string
	for _, x := range all {
		names = append(names, name(x))
	}
	return strings.Join(names, ", ")
}

// finish checks that the witness has all that a replay needs.
func (p *parser) finish() error {
	if len(p.seen) == 0 {
		return errors.New("the witness ends after its first line")
	}
	p.w.correctKind()
	return p.w.check()
}

// parseStep reads the fields of one step line.
func parseStep(fields []token) (Step, error) {
	s := Step{Occurrence: 1}
	if len(fields) < 5 {
		return s, fmt.Errorf("step line has %d fields, expected goroutine, operation, expression, function, position", len(fields))
	}
	var text [5]string
	for i := range text {
		v, err := fields[i].meaning()
		if err != nil {
			return s, err
		}
		text[i] = v
	}
	s.Goroutine, s.Expr, s.Func = text[0], text[2], text[3]
	var ok bool
	if s.Op, ok = trace.KindOf(text[1]); !ok {
		return s, fmt.Errorf("unknown operation %.40q", text[1])
	}
	if err := s.setPosition(text[4]); err != nil {
		return s, err
	}
	seen := make(map[string]bool)
	for _, f := range fields[5:] {
		if seen[f.key] {
			return s, fmt.Errorf("second %s=", f.key)
		}
		seen[f.key] = true
		if err := s.setField(f); err != nil {
			return s, err
		}
	}
	if s.AlikeCount == 0 && (s.LineText != "" || s.SiteNumber == 1) {
		s.AlikeNumber, s.AlikeCount = 1, 1
	}
	return s, nil
}

// setField sets one of the name=value fields at the end of a step line.
func (s *Step) setField(f token) error {
	v, err := f.meaning()
	if err != nil {
		return err
	}
	k := slices.IndexFunc(stepFields, func(known stepField) bool { return known.name == f.key })
	switch {
	case f.key == "which":
		err = s.setWhich(v)
	case k < 0:
		return fmt.Errorf("unknown field %.40q, expected site=, nth=, line=, which=, occ=, case=, var=, region=, item= or value=", f.text)
	case stepFields[k].text != nil:
		*stepFields[k].text(s) = v
	default:
		*stepFields[k].number(s), err = number(v, stepFields[k].least)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.key, err)
	}
	return nil
}

// setWhich reads "2/3".
func (s *Step) setWhich(v string) error {
	which, of, _ := strings.Cut(v, "/")
	var err1, err2 error
	s.AlikeNumber, err1 = number(which, 1)
	s.AlikeCount, err2 = number(of, 2)
	if err1 != nil || err2 != nil || s.AlikeNumber > s.AlikeCount {
		return fmt.Errorf("found %.40q, expected two numbers such as 2/3", v)
	}
	return nil
}

// setPosition reads file:line or file:line:col; "" leaves all unset.
func (s *Step) setPosition(pos string) error {
	if pos == "" {
		return nil
	}
	file, last, ok := cutLast(pos)
	n, err := number(last, 0)
	if !ok || err != nil {
		return fmt.Errorf("position is %.80q, expected file:line or file:line:col", pos)
	}
	if f, mid, ok := cutLast(file); ok {
		if line, err := number(mid, 0); err == nil {
			s.File, s.Line, s.Col = f, line, n
			return nil
		}
	}
	s.File, s.Line = file, n
	return nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// number reads a plain decimal number that is at least least.
func number(s string, least int) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || int(n) < least {
		return 0, fmt.Errorf("found %.40q, expected a number from %d", s, least)
	}
	return int(n), nil
}
