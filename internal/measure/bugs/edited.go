package bugs

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	alike "github.com/gopredict/gopredict/internal/edits"
	"github.com/gopredict/gopredict/internal/measure/run"
)

// edited has a file for each subject: the bug, and the edits of its own. After a line with source
// and a name comes a file of the subject; without one, the subject is a module of testdata. A line
// that begins with == begins an edit, there or fixed after it; one with @ names the file that the next are
// of; lines that begin with - are looked for there, without regard to indentation, and those
// with + after them take their place; those with > come at the end of the file.
//
//go:embed edited
var edited embed.FS

// An editedSubject is a module, and one bug of it.
type editedSubject struct {
	name, test, kind string
	sources          map[string]string // files by name; none: it is a module of testdata
	edits            []edit
}

// An edit is one way to change the sources of a subject.
type edit struct {
	name     string
	expected answer
	suffix   string // of files that replace those without it: ".fixed"
	parts    []editPart
	neutral  []string // edits of package edits that keep the behaviour
}

// An editPart is a change of one file.
type editPart struct {
	file string
	alike.LineEdit
}

// fixForms are the neutral edits that are applied together with a fix.
var fixForms = [][]string{nil, {"comments", "locals", "files"}, {"goroutine", "extracted", "reversed"}, {"results", "closured", "carried"}}

// combined are neutral edits that are applied together, as people change several things at once.
var combined = [][]string{
	{"comments", "locals", "files"}, {"extracted", "named"}, {"closured", "carried"}, {"pointers", "embedded"}, {"values", "results", "explicit"},
	{"rwmutexes", "lockers", "extracted"}, {"conditions", "failed", "table"}, {"goroutine", "fields", "functions"}, {"generic", "closured", "gostatements"},
	{"helper", "parallel", "files"}, {"switches", "vars", "reversed", "locals"}, {"reported", "subtest", "types"}, {"logged", "shifted", "blocks"},
}

// readEdited returns the subjects with their edits. There are more than editsPerAnswer needs: not
// each neutral edit finds something to change.
func readEdited() (all []editedSubject) {
	for _, f := range run.Must(edited.ReadDir("edited")) {
		text := string(run.Must(edited.ReadFile("edited/" + f.Name())))
		run.In(f.Name(), func() { all = append(all, parseEdited(text)) })
	}
	return all
}

func parseEdited(text string) (s editedSubject) {
	var own []edit
	file := "" // of the sources
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "==":
			file = ""
		case word == "source":
			if file = rest; s.sources == nil {
				s.sources = make(map[string]string)
			}
			continue
		case file != "":
			s.sources[file] += line + "\n"
			continue
		}
		switch head := map[string]*string{"subject": &s.name, "test": &s.test, "kind": &s.kind}[word]; {
		case head != nil:
			*head = rest
		case word == "==":
			truth, name, _ := strings.Cut(rest, " ")
			own = append(own, edit{name: name, expected: answer(truth)})
		case strings.TrimSpace(line) == "":
		case len(own) == 0 || !own[len(own)-1].parse(word, rest, line):
			run.Fail("line %d: found %q, expected an edit, and in that @ FILE, or a line with -, + or >", i+1, line)
		}
	}
	for _, e := range own {
		if e.expected == bugPresent {
			s.edits = append(s.edits, e)
			continue
		}
		for k, form := range fixForms {
			with := e
			with.neutral = form
			if k > 0 {
				with.name = fmt.Sprintf("%s, %s", e.name, strings.Join(form, ", "))
			}
			s.edits = append(s.edits, with)
		}
	}
	for _, e := range alike.All() {
		s.edits = append(s.edits, edit{name: e.Name, expected: bugPresent, neutral: []string{e.Name}})
	}
	for _, names := range combined {
		s.edits = append(s.edits, edit{name: strings.Join(names, ", "), expected: bugPresent, neutral: names})
	}
	return s
}

// copy writes the subject to a folder, and returns that.
func (s *editedSubject) copy(dir string) string {
	if s.sources == nil {
		return run.CopySubject(s.name, dir)
	}
	run.Check(os.MkdirAll(dir, 0o777))
	run.WriteMod(dir, "example.com/"+s.name, "1.26")
	for name, text := range s.sources {
		run.WriteFile(filepath.Join(dir, name), text)
	}
	return dir
}

// parse reads a line of an edit.
func (e *edit) parse(word, rest, line string) bool {
	switch {
	case word == "use":
		e.suffix = rest
	case word == "@":
		e.parts = append(e.parts, editPart{file: rest})
	case len(e.parts) == 0:
		return false
	default:
		return e.add(line[0], line[1:])
	}
	return true
}

// add adds a line to the last part of the edit, or begins another one of the same file.
func (e *edit) add(kind byte, text string) bool {
	p := &e.parts[len(e.parts)-1]
	atEnd := len(p.Was) == 0 && len(p.Is) > 0
	if kind == '-' && len(p.Is) > 0 || kind == '>' && !atEnd && len(p.Was) > 0 {
		e.parts = append(e.parts, editPart{file: p.file})
		p = &e.parts[len(e.parts)-1]
	}
	switch kind {
	case '-':
		p.Was = append(p.Was, text)
	case '+', '>':
		p.Is = append(p.Is, text)
	default:
		return false
	}
	return true
}

// apply edits the module in the folder dir, and reports whether that has changed anything.
func (e edit) apply(dir string) (changed bool) {
	if e.suffix != "" {
		files := run.Must(filepath.Glob(filepath.Join(dir, "*.go"+e.suffix)))
		if len(files) == 0 {
			run.Fail("%s: found no files *.go%s", dir, e.suffix)
		}
		for _, f := range files {
			run.Check(os.Rename(f, strings.TrimSuffix(f, e.suffix)))
		}
		changed = true
	}
	for _, p := range e.parts {
		run.Check(p.Apply(filepath.Join(dir, p.file)))
		changed = true
	}
	for _, name := range e.neutral {
		if run.Must(alike.Named(name).Apply(dir)) {
			changed = true
		}
	}
	return changed
}
