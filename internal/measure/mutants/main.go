// Command mutants makes mistakes in the rooms that decide what is a bug, one at a
// time, and says which of them the room's own tests notice. It fails if these are
// fewer than 95 of 100, or if a mistake can no longer be made as list.txt has it.
//
//	go run ./internal/measure/mutants [WORD...]
//
// Words select the mutants of which the room, the file or the text contains one.
// Nothing is changed in the folder: go test gets each mistake as an overlay. Z3's
// library has to be there.
package main

import (
	"bytes"
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

// patience is how long the tests of one room may take with a mistake in it. One that
// makes them go on for ever is noticed.
const patience = 10 * time.Minute

func main() { script.Main("mutants", run) }

func run(ctx context.Context, words []string) (good bool, err error) {
	mutants, err := parse(list)
	if err != nil {
		return false, err
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(m.room+"/"+m.file+" "+m.breaks, w)
		})
	})
	if len(mutants) == 0 {
		return false, fmt.Errorf("expected words that select mutants, found %q", words)
	}
	work, err := os.MkdirTemp("", "gopredict-mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	changed := make([][]byte, len(mutants))
	for k, m := range mutants { // before the first takes its time
		if changed[k], err = m.change(); err != nil {
			return false, err
		}
	}
	noticed := 0
	var wrong []error
	for k, m := range mutants {
		by, err := m.notice(ctx, work, changed[k])
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
		fmt.Printf("%3d %-22s %-14s %s: %s\n", k+1, m.room, m.file, m.breaks, by)
	}
	fmt.Printf("%d of %d mutants are noticed\n", noticed, len(mutants))
	return noticed*100 >= least*len(mutants), errors.Join(wrong...)
}

// A mutant is one mistake.
type mutant struct {
	room, file  string // a folder of the module, and a file there
	breaks      string // what it breaks, for readers
	is, becomes string
	line        int // in the list
}

// parse reads the list: see its head.
func parse(text string) ([]mutant, error) {
	var all []mutant
	var lines []string
	for n, l := range strings.Split(text+"\n", "\n") {
		if l != "" {
			if !strings.HasPrefix(l, "#") {
				lines = append(lines, l)
			}
			continue
		}
		if len(lines) == 0 {
			continue
		}
		m := mutant{line: n + 1 - len(lines)}
		room, file, ok := strings.Cut(lines[0], " ")
		m.room, m.file = room, file
		if len(lines) > 1 {
			m.breaks = strings.TrimSuffix(lines[1], ".")
		}
		for _, l := range lines[min(2, len(lines)):] {
			switch {
			case l[0] == '-' && m.becomes == "":
				m.is += l[1:] + "\n"
			case l[0] == '+' && m.is != "":
				m.becomes += l[1:] + "\n"
			default:
				ok = false
			}
		}
		if !ok || m.becomes == "" {
			return nil, fmt.Errorf("list.txt:%d: expected a room and a file, what the mutant breaks, lines that begin with - and lines that begin with +, found:\n%s", m.line, strings.Join(lines, "\n"))
		}
		all = append(all, m)
		lines = nil
	}
	return all, nil
}

// change returns the file with the mistake.
func (m *mutant) change() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(m.room, m.file))
	if err != nil {
		return nil, fmt.Errorf("list.txt:%d: %w", m.line, err)
	}
	if n := bytes.Count(text, []byte(m.is)); n != 1 {
		return nil, fmt.Errorf("list.txt:%d: expected these lines once in %s/%s, found them %d times: write the mutant anew\n%s", m.line, m.room, m.file, n, m.is)
	}
	return bytes.Replace(text, []byte(m.is), []byte(m.becomes), 1), nil
}

// notice runs the tests of the room with the mistake, and returns the first one that
// fails; "" if all pass. Those that do not build are an error: that is no mistake that
// anybody could make.
func (m *mutant) notice(ctx context.Context, work string, changed []byte) (by string, err error) {
	file, err := filepath.Abs(filepath.Join(m.room, m.file))
	if err != nil {
		return "", err
	}
	mistake, overlay := filepath.Join(work, "mistake.go"), filepath.Join(work, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: mistake}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(mistake, changed, 0o666), os.WriteFile(overlay, replace, 0o666)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "z3", "-failfast", "-vet=off", "-timeout", patience.String(), "-overlay", overlay, "./"+m.room)
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
