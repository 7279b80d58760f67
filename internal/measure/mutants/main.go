// Command mutants makes mistakes in the rooms that decide what is a bug, one at a
// time, and says which of them the room's own tests notice. It fails if these are
// fewer than 95 of 100, or if a mistake can no longer be made as list.txt has it.
//
//	go run ./internal/measure/mutants [WORD...]
//
// Words select the mutants of which the line or the explanation contains one.
// Nothing is changed in the folder: go test gets each mistake as an overlay. Z3's
// library has to be there.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/measure/script"
)

//go:embed list.txt
var list string

// least is how many of 100 mutants have to be noticed.
const least = 95

// patience is how long the tests of one room may take with a mistake in it. A mistake that
// makes them run longer is noticed.
const patience = 10 * time.Minute

func main() { script.Main("mutants", run) }

func run(ctx context.Context, words []string) (good bool, err error) {
	mutants, err := parse(list)
	if err != nil {
		return false, err
	}
	mutants = slices.DeleteFunc(mutants, func(m *mutant) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(m.text+"\n"+m.breaks, w)
		})
	})
	if len(mutants) == 0 {
		return false, fmt.Errorf("expected words that select mutants, found %q", words)
	}
	if err := make(rooms).apply(mutants, "."); err != nil { // before the first takes its time
		return false, err
	}
	work, err := os.MkdirTemp("", "gopredict-mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	noticed := 0
	var wrong []error
	for k, m := range mutants {
		by, err := m.notice(ctx, work)
		switch {
		case ctx.Err() != nil:
			return false, err
		case err != nil:
			wrong = append(wrong, err)
			continue
		}
		if by != "" {
			noticed++
			by = "noticed by " + by
		} else {
			by = "UNNOTICED"
		}
		fmt.Printf("%3d %s: %s: %s\n", k+1, m.decl(), m.breaks, by)
	}
	fmt.Printf("%d of %d mutants are noticed\n", noticed, len(mutants))
	return noticed*100 >= least*len(mutants), errors.Join(wrong...)
}

// A mutant is one mistake.
type mutant struct {
	line       int    // in the list
	breaks     string // what it breaks, for readers
	text       string // as the list has it
	room, name string // the package, as a folder of the module, and the declaration
	tests      string // the package whose tests have to notice it
	edit       edit
	file       string // the absolute path of the file that has the declaration
	changed    []byte // this file with the mistake
}

// decl is where the mistake is made.
func (m *mutant) decl() string { return m.room + " " + m.name }

// parse reads the list: see its head.
func parse(text string) ([]*mutant, error) {
	var all []*mutant
	var breaks string
	for n, l := range strings.Split(text, "\n") {
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case !strings.HasPrefix(l, "\t"):
			if breaks != "" {
				return nil, fmt.Errorf("list.txt:%d: expected a mutant after a line with a tab, found: %s", n+1, l)
			}
			breaks = strings.TrimSuffix(l, ".")
		default:
			m := &mutant{line: n + 1, breaks: breaks, text: l[1:]}
			if breaks == "" || !m.parse() {
				return nil, fmt.Errorf("list.txt:%d: expected what the mutant breaks, and below it a tab and “PACKAGE DECLARATION: EDIT”, found: %s", n+1, l)
			}
			all = append(all, m)
			breaks = ""
		}
	}
	return all, nil
}

// parse reads "PACKAGE DECLARATION[, tests of PACKAGE]: EDIT".
func (m *mutant) parse() bool {
	head, change, ok := strings.Cut(m.text, ": ")
	head, tests, _ := strings.Cut(head, ", tests of ")
	m.room, m.name, _ = strings.Cut(head, " ")
	m.tests = cmp.Or(tests, m.room)
	if m.name == "" || !ok {
		return false
	}
	m.edit, ok = parseEdit(change)
	return ok
}

// rooms are the sources of packages, by their folders.
type rooms map[string][]*source

// apply makes the mistakes in the sources below the folder root.
func (r rooms) apply(mutants []*mutant, root string) error {
	var wrong []error
	for _, m := range mutants {
		var err error
		if r[m.room] == nil {
			r[m.room], err = parseRoom(filepath.Join(root, m.room))
		}
		if err == nil {
			m.file, m.changed, err = apply(r[m.room], m.name, m.edit)
		}
		if err == nil {
			m.file, err = filepath.Abs(m.file)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("list.txt:%d: %s: %w", m.line, m.room, err))
		}
	}
	return errors.Join(wrong...)
}

// notice runs the tests of the room with the mistake, and returns the first one that
// fails; "" if all pass. Those that do not build are an error: that is no mistake that
// anybody could make.
func (m *mutant) notice(ctx context.Context, work string) (by string, err error) {
	mistake, overlay := filepath.Join(work, "mistake.go"), filepath.Join(work, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: mistake}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(mistake, m.changed, 0o666), os.WriteFile(overlay, replace, 0o666)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "z3", "-failfast", "-vet=off", "-timeout", patience.String(), "-overlay", overlay, "./"+m.tests)
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil:
		return "", nil
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return "", fmt.Errorf("list.txt:%d: expected a mutant that builds, found:\n%s", m.line, out)
	}
	by = "a crash"
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			by, _, _ = strings.Cut(name, " ") // the innermost comes last
		} else if strings.HasPrefix(line, "panic: test timed out") {
			return "the time that it takes", nil
		}
	}
	return by, nil
}
