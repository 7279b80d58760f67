package main

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/gopredict/gopredict/internal/subjects"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A subject is one of the modules under testdata.
type subject struct{ name, root, work, tool string }

// A row is how often one witness reached its bug, by condition.
type row struct {
	subject subject
	file    string // of the witness, relative to the subject's folder
	reached []int
	missed  []string // what gopredict says of the replays that did not
}

// sayThemselves are the subjects of which the tests themselves say what is expected: their
// replays are not timed.
var sayThemselves = []string{"blocking", "failing"}

// subjectsIn returns the names of the subjects below root: those with a want.json, and
// sayThemselves.
func subjectsIn(root string) ([]string, error) {
	wants, err := filepath.Glob(filepath.Join(root, "testdata", "*", "*", "want.json"))
	names := slices.Clone(sayThemselves)
	for _, want := range wants {
		names = append(names, filepath.Base(filepath.Dir(want)))
	}
	slices.Sort(names)
	return names, err
}

// flags returns those that the subject is tested with.
func (s subject) flags() ([]string, error) {
	switch {
	case s.name == "failing":
		return []string{"-timeout=2s"}, nil
	case slices.Contains(sayThemselves, s.name):
		return nil, nil
	}
	folder, err := subjects.Folder(s.root, s.name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "want.json"))
	if err != nil {
		return nil, err
	}
	var want struct{ Flags []string }
	err = json.Unmarshal(text, &want)
	return want.Flags, err
}

// here and elsewhere are the two folders that replays are built in.
func (s subject) here() string      { return filepath.Join(s.work, "here", s.name) }
func (s subject) elsewhere() string { return filepath.Join(s.work, "elsewhere", "module", s.name) }

// witnesses makes the witnesses of a copy of the subject, and a copy of that, and
// returns a row for each witness.
func (s subject) witnesses(ctx context.Context) ([]row, error) {
	dir := s.here()
	if err := subjects.Copy(s.root, s.name, dir); err != nil {
		return nil, err
	}
	flags, err := s.flags()
	if err != nil {
		return nil, err
	}
	test := exec.CommandContext(ctx, s.tool, append(append([]string{"test"}, flags...), "./...")...)
	test.Dir = dir
	if err := confirms(test); err != nil {
		return nil, err
	}
	if err := subjects.CopyModule(s.root, dir, s.elsewhere()); err != nil {
		return nil, err
	}
	var rows []row
	predict := string(filepath.Separator) + filepath.Join("testdata", "predict") + string(filepath.Separator)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, predict) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		rows = append(rows, row{subject: s, file: rel, reached: make([]int, len(conditions)), missed: make([]string, len(conditions))})
		return err
	})
	return rows, err
}

var (
	reachedIn = regexp.MustCompile(`reached in (\d+) of \d+ replays?`)
	missedIn  = regexp.MustCompile(`(?m)reached in 0 of \d+ replays?: .*|not reached in \d+: .*`)
)

// replay replays the witness n times under the condition of that number.
func (r *row) replay(ctx context.Context, condition, n int) error {
	c := conditions[condition]
	line := append(slices.Clone(c.wrap), r.subject.tool, "replay", "-n", strconv.Itoa(n), r.file)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = r.subject.here()
	if c.moved {
		cmd.Dir = r.subject.elsewhere()
	}
	cmd.Env = append(os.Environ(), c.env...)
	out, err := cmd.CombinedOutput()
	m := reachedIn.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("%s: %s: gopredict replay %s: %w\n%s", r.subject.name, c.name, r.file, err, out)
	}
	if r.reached[condition], err = strconv.Atoi(string(m[1])); err != nil {
		return err
	}
	var missed []string
	for _, line := range missedIn.FindAll(out, -1) {
		missed = append(missed, string(line))
	}
	r.missed[condition] = strings.Join(missed, "; ")
	return nil
}

// confirms runs gopredict, which exits with 1 where it confirms a bug; the error says
// that it did not run.
func confirms(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
