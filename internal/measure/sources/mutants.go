package sources

import (
	"cmp"
	_ "embed" // the list
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/edits"
	"github.com/gopredict/gopredict/internal/measure/run"
)

//go:embed mutants.txt
var mutantList string

// leastNoticed is how many of 100 mutants have to be noticed.
const leastNoticed = 95

// mutantTimeout is how long the tests of one room may take with a mistake in it. A mistake that
// makes them run longer is noticed.
const mutantTimeout = 10 * time.Minute

// mutants makes the mistakes of the list, one at a time, and says which of them the rooms' own
// tests notice. Arguments select the mutants whose line or explanation contains one of them.
// Nothing is changed in the folder: go test gets each mistake as an overlay. Z3's library has to
// be there. All is as it must be if 95 of 100 are noticed, and each can still be made.
func mutants(j *run.Job) bool {
	j.Parse()
	all := slices.DeleteFunc(parseMutants(mutantList), func(m *mutant) bool {
		return j.NArg() > 0 && !slices.ContainsFunc(j.Args(), func(w string) bool { return strings.Contains(m.text+"\n"+m.breaks, w) })
	})
	if len(all) == 0 {
		run.Fail("expected words that select mutants, found %q", j.Args())
	}
	run.Check(applyAll(all, ".")) // before the first takes its time
	noticed := 0
	var wrong []error
	for k, m := range all {
		by := "UNNOTICED"
		if err := run.Catch(func() { by = cmp.Or(m.notice(j), by) }); err != nil {
			run.Check(j.Context().Err())
			wrong = append(wrong, err)
			continue
		}
		if by != "UNNOTICED" {
			noticed++
			by = "noticed by " + by
		}
		fmt.Printf("%3d %s %s: %s: %s\n", k+1, m.room, m.name, m.breaks, by)
	}
	fmt.Printf("%d of %d mutants are noticed\n", noticed, len(all))
	run.Check(errors.Join(wrong...))
	return noticed*100 >= leastNoticed*len(all)
}

// A mutant is one mistake.
type mutant struct {
	line       int    // in the list
	breaks     string // what it breaks, for readers
	text       string // as the list has it
	room, name string // the package, as a folder of the module, and the declaration
	tests      string // the package whose tests have to notice it
	edit       edits.TokenEdit
	file       string // the absolute path of the file that has the declaration
	changed    string // this file with the mistake
}

// parseMutants reads the list: see its head.
func parseMutants(text string) (all []*mutant) {
	var breaks string
	for n, l := range strings.Split(text, "\n") {
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case !strings.HasPrefix(l, "\t"):
			if breaks != "" {
				run.Fail("mutants.txt:%d: expected a mutant after a line with a tab, found: %s", n+1, l)
			}
			breaks = strings.TrimSuffix(l, ".")
		default:
			m := &mutant{line: n + 1, breaks: breaks, text: l[1:]}
			if breaks == "" || !m.parse() {
				run.Fail("mutants.txt:%d: expected what the mutant breaks, and below it a tab and “PACKAGE DECLARATION: EDIT”, found: %s", n+1, l)
			}
			all = append(all, m)
			breaks = ""
		}
	}
	return all
}

// parse reads "PACKAGE DECLARATION[, tests of PACKAGE]: EDIT".
func (m *mutant) parse() (ok bool) {
	head, change, found := strings.Cut(m.text, ": ")
	head, tests, _ := strings.Cut(head, ", tests of ")
	m.room, m.name, _ = strings.Cut(head, " ")
	m.tests = cmp.Or(tests, m.room)
	m.edit, ok = edits.ParseTokenEdit(change)
	return ok && found && m.name != ""
}

// applyAll makes the mistakes in the sources below the folder root, and returns an error for
// those that cannot be made.
func applyAll(all []*mutant, root string) error {
	rooms := make(map[string][]*edits.File)
	var wrong []error
	for _, m := range all {
		err := run.Catch(func() {
			if rooms[m.room] == nil {
				rooms[m.room] = run.Must(edits.ReadFiles(filepath.Join(root, m.room)))
			}
			file, changed, err := m.edit.Apply(rooms[m.room], m.name)
			run.Check(err)
			m.file, m.changed = run.Must(filepath.Abs(file)), changed
		})
		if err != nil {
			wrong = append(wrong, fmt.Errorf("mutants.txt:%d: %s: %w", m.line, m.room, err))
		}
	}
	return errors.Join(wrong...)
}

// notice runs the tests of the room with the mistake, and returns the first one that
// fails; "" if all pass. Those that do not build are an error: that is no mistake that
// anybody could make.
func (m *mutant) notice(j *run.Job) (by string) {
	mistake, overlay := filepath.Join(j.Dir, "mistake.go"), filepath.Join(j.Dir, "overlay.json")
	run.WriteFile(mistake, m.changed)
	run.WriteFile(overlay, string(run.Must(json.Marshal(map[string]map[string]string{"Replace": {m.file: mistake}}))))
	p := j.Run(run.Command{Args: []string{"go", "test", "-tags", "z3", "-failfast", "-vet=off", "-timeout", mutantTimeout.String(), "-overlay", overlay, "./" + m.tests}})
	switch {
	case p.Code == 0:
		return ""
	case strings.Contains(p.Output, "[build failed]") || strings.Contains(p.Output, "[setup failed]"):
		run.Fail("mutants.txt:%d: expected a mutant that builds, found:\n%s", m.line, p.Output)
	}
	by = "a crash"
	for line := range strings.Lines(p.Output) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			by, _, _ = strings.Cut(name, " ") // the innermost comes last
		} else if strings.HasPrefix(line, "panic: test timed out") {
			return "the time that it takes"
		}
	}
	return by
}
