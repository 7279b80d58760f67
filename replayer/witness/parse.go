package witness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// maxLine is the longest line that Parse accepts, in bytes.
const maxLine = 1 << 20

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
	if err := p.end(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, max(line, 1), err)
	}
	return p.w, nil
}

// A parser holds what was read so far.
type parser struct {
	w       *Witness
	section *[]Step         // where step lines go; nil in the header
	seen    map[string]bool // headers and sections met
	steps   int             // of all sections
}

// line reads the n-th line, counted from 1.
func (p *parser) line(n int, text string) error {
	if n == 1 {
		return version(text)
	}
	fields, err := split(text)
	if err != nil {
		return err
	}
	if len(fields) == 0 {
		return nil
	}
	if len(fields) == 1 && !fields[0].quoted {
		if sec := p.sectionOf(fields[0].text); sec != nil {
			p.section = sec
			return p.once(fields[0].text)
		}
	}
	if p.section == nil {
		return p.header(fields)
	}
	s, err := step(fields)
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

// version checks the first line.
func version(line string) error {
	v, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), magic)
	if n, err := strconv.Atoi(v); !ok || err != nil {
		return fmt.Errorf("not a gopredict witness: the first line is %.60q, expected \"%s%d\"", line, magic, Version)
	} else if n != Version {
		return fmt.Errorf("witness version %d, this gopredict reads version %d", n, Version)
	}
	return nil
}

func (p *parser) sectionOf(name string) *[]Step {
	switch name {
	case "steps":
		return &p.w.Steps
	case "hold":
		return &p.w.Hold
	case "violation":
		return &p.w.Violation
	case "pooled":
		return &p.w.Pooled
	case "anchors":
		return &p.w.Anchors
	}
	return nil
}

// once reports a header or section that comes twice.
func (p *parser) once(name string) error {
	if p.seen[name] {
		return fmt.Errorf("second %q; each header and section comes once", name)
	}
	p.seen[name] = true
	return nil
}

func (p *parser) header(fields []token) error {
	key := fields[0].text
	if err := p.once(key); err != nil {
		return err
	}
	var values []string
	for _, f := range fields[1:] {
		if f.key != "" {
			return fmt.Errorf("header %q: found %.40q, expected a plain value", key, f.text)
		}
		v, err := f.value()
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	if list := map[string]*[]string{"tests": &p.w.Tests, "args": &p.w.Args}[key]; list != nil {
		*list = values
		return checkHeader(key, values)
	}
	var atomic, parallel string
	dst := map[string]*string{"atomic": &atomic, "parallel": &parallel, "id": &p.w.ID, "kind": (*string)(&p.w.Kind), "pattern": &p.w.Pattern, "package": &p.w.Package, "run": &p.w.Run, "go": &p.w.Go, "recorded": &p.w.Recorded, "order": &p.w.Order}[key]
	if dst == nil {
		return fmt.Errorf("unknown header %.40q, expected id, kind, pattern, package, tests, run, args, parallel, go, recorded, atomic, order, or a section: steps, hold, violation, pooled, anchors", key)
	}
	if len(values) != 1 {
		return fmt.Errorf("header %q has %d values, expected 1", key, len(values))
	}
	if err := checkHeader(key, values); err != nil {
		return err
	}
	*dst = values[0]
	if parallel != "" {
		n, err := strconv.Atoi(parallel)
		if err != nil || n < 1 {
			return fmt.Errorf("parallel is %.40q, expected a number of tests, from 1", parallel)
		}
		p.w.Parallel = n
	}
	if p.w.Methods = p.w.Methods || atomic == "methods"; atomic != "" && atomic != "methods" {
		return fmt.Errorf("atomic is %.40q, expected methods", atomic)
	}
	if key == "order" && *dst != "01" && *dst != "10" {
		return fmt.Errorf("order is %.40q, expected 01 or 10", *dst)
	}
	return nil
}

// end checks that nothing that a replay needs is missing.
func (p *parser) end() error {
	switch w := p.w; {
	case len(p.seen) == 0:
		return errors.New("the witness ends after its first line")
	case w.ID == "":
		return errors.New("the witness has no id")
	case w.Kind == "":
		return errors.New("the witness has no kind")
	case len(w.Tests) == 0:
		return errors.New("the witness names no tests")
	case len(w.Violation) == 0:
		return errors.New("the witness has no violation section: is the end of the file missing?")
	}
	has := func(op trace.Kind) bool {
		return slices.ContainsFunc(p.w.Violation, func(s Step) bool { return s.Op == op })
	}
	if p.w.Kind == bug.Race && has(trace.Close) { // what kinds there were before had fewer names
		p.w.Kind = bug.Channel
	} else if p.w.Kind == bug.Race && has(trace.WaitGroupWait) && has(trace.WaitGroupAdd) {
		p.w.Kind = bug.WaitGroup
	}
	for i, s := range p.w.Violation {
		if p.w.InOrder() && (s.Variable == 0 || s.Region == 0) {
			return fmt.Errorf("violating access %d of the %s has no var= or no region=", i+1, p.w.Kind)
		}
	}
	for _, t := range p.w.Tests {
		if t == "" {
			return errors.New("the witness names an empty test")
		}
	}
	return nil
}

// step reads the fields of one step line.
func step(fields []token) (Step, error) {
	s := Step{Occ: 1}
	if len(fields) < 5 {
		return s, fmt.Errorf("step line has %d fields, expected goroutine, operation, expression, function, position", len(fields))
	}
	var text [5]string
	for i := range text {
		v, err := fields[i].value()
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
		if err := s.set(f); err != nil {
			return s, err
		}
	}
	return s, nil
}

// set takes over one of the name=value fields at the end of a step line.
func (s *Step) set(f token) error {
	v, err := f.value()
	if err != nil {
		return err
	}
	switch f.key {
	case "site":
		s.SiteOp = v
	case "value":
		s.Value = v
	case "line":
		s.Text = v
		if s.Of == 0 && v != "" {
			s.Which, s.Of = 1, 1
		}
	case "which":
		err = s.setWhich(v)
	case "nth":
		s.Nth, err = number(v, 0)
		if s.Of == 0 && s.Nth == 1 {
			s.Which, s.Of = 1, 1
		}
	case "occ":
		s.Occ, err = number(v, 1)
	case "case":
		s.Case, err = number(v, 1)
	case "var":
		s.Variable, err = number(v, 1)
	case "region":
		s.Region, err = number(v, 1)
	case "item":
		s.Item, err = number(v, 1)
	default:
		return fmt.Errorf("unknown field %.40q, expected site=, nth=, line=, which=, occ=, case=, var=, region=, item= or value=", f.text)
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
	s.Which, err1 = number(which, 1)
	s.Of, err2 = number(of, 2)
	if err1 != nil || err2 != nil || s.Which > s.Of {
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
