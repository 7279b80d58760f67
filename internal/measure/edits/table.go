package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/edits"
)

// subjects has a file for each subject: the bug, and the edits of its own. A line that begins
// with == begins an edit, there or fixed after it; one with @ names the file that the next are
// of; lines that begin with - are looked for there, without regard to indentation, and those
// with + after them take their place; those with > come at the end of the file.
//
//go:embed subjects
var subjects embed.FS

// A subject is a module of testdata, and one bug of it.
type subject struct {
	name, test, kind string
	edits            []edit
}

// An edit is one way to change the sources of a subject.
type edit struct {
	name  string
	truth answer
	use   string // the ending of files that take the place of others: ".fixed"
	parts []part // of its own
	more  []string
}

// A part of an edit is a change of one file: the lines old become the lines new; where there
// are no old ones, these come at the end.
type part struct {
	file     string
	old, new []string
}

// perTruth is how many edits there are of each subject that leave the bug there, and as many
// that fix it.
const perTruth = 15

// forms are how a fix comes: as it is, and with edits that change nothing.
var forms = [][]string{nil, {"comments", "locals", "files"}, {"goroutine", "extracted", "reversed"}}

// read returns the subjects with their edits, of which those that change nothing are candidates:
// the first of them that find something to change are taken.
func read() ([]subject, error) {
	list, err := subjects.ReadDir("subjects")
	if err != nil {
		return nil, err
	}
	var out []subject
	for _, f := range list {
		text, err := subjects.ReadFile(path.Join("subjects", f.Name()))
		if err != nil {
			return nil, err
		}
		s, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("subjects/%s: %w", f.Name(), err)
		}
		out = append(out, s)
	}
	return out, nil
}

func parse(text string) (subject, error) {
	var s subject
	var own []edit
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		var e *edit
		if len(own) > 0 {
			e = &own[len(own)-1]
		}
		switch {
		case word == "subject":
			s.name = rest
		case word == "test":
			s.test = rest
		case word == "kind":
			s.kind = rest
		case word == "==":
			truth, name, _ := strings.Cut(rest, " ")
			own = append(own, edit{name: name, truth: answer(truth)})
		case strings.TrimSpace(line) == "":
		case e == nil:
			return s, fmt.Errorf("line %d: found %q before the first edit", i+1, line)
		case word == "use":
			e.use = rest
		case word == "@":
			e.parts = append(e.parts, part{file: rest})
		case len(e.parts) == 0 || !strings.Contains("-+>", line[:1]):
			return s, fmt.Errorf("line %d: found %q, expected @ FILE, or a line with -, + or >", i+1, line)
		default:
			e.line(line[0], line[1:])
		}
	}
	for _, e := range own {
		if e.truth == there {
			s.edits = append(s.edits, e)
			continue
		}
		for k, form := range forms {
			with := e
			with.more = form
			if k > 0 {
				with.name = fmt.Sprintf("%s, %s", e.name, strings.Join(form, ", "))
			}
			s.edits = append(s.edits, with)
		}
	}
	for _, e := range edits.All() {
		s.edits = append(s.edits, edit{name: e.Name, truth: there, more: []string{e.Name}})
	}
	return s, nil
}

// line adds a line to the last part of the edit, or begins another one of the same file.
func (e *edit) line(kind byte, text string) {
	p := &e.parts[len(e.parts)-1]
	atEnd := len(p.old) == 0 && len(p.new) > 0
	if kind == '-' && len(p.new) > 0 || kind == '>' && !atEnd && len(p.old)+len(p.new) > 0 {
		e.parts = append(e.parts, part{file: p.file})
		p = &e.parts[len(e.parts)-1]
	}
	if kind == '-' {
		p.old = append(p.old, text)
		return
	}
	p.new = append(p.new, text)
}

// apply edits the module in the folder dir, and reports whether that has changed anything.
func (e edit) apply(dir string) (changed bool, err error) {
	if e.use != "" {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"+e.use))
		if err != nil || len(files) == 0 {
			return false, errors.Join(err, fmt.Errorf("%s: found no files *.go%s", dir, e.use))
		}
		for _, f := range files {
			if err := os.Rename(f, strings.TrimSuffix(f, e.use)); err != nil {
				return false, err
			}
		}
		changed = true
	}
	for _, p := range e.parts {
		if err := p.apply(dir); err != nil {
			return false, err
		}
		changed = true
	}
	for _, name := range e.more {
		more, err := edits.Named(name).Apply(dir)
		if err != nil {
			return false, err
		}
		changed = changed || more
	}
	return changed, nil
}

func (p part) apply(dir string) error {
	name := filepath.Join(dir, p.file)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if len(p.old) == 0 {
		return os.WriteFile(name, []byte(strings.Join(append(lines, p.new...), "\n")), 0o666)
	}
	at := -1
	for i := range len(lines) - len(p.old) + 1 {
		if slices.EqualFunc(lines[i:i+len(p.old)], p.old, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
			if at >= 0 {
				return fmt.Errorf("%s: the lines are there more than once: %q", name, p.old)
			}
			at = i
		}
	}
	if at < 0 {
		return fmt.Errorf("%s: the lines are not there: %q", name, p.old)
	}
	return os.WriteFile(name, []byte(strings.Join(slices.Replace(lines, at, at+len(p.old), p.new...), "\n")), 0o666)
}
