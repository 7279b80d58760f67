package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	subject, witness string
	reached          []int
}

// flags returns those that the subject is tested with.
func (s subject) flags() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, "testdata", s.name, "want.json"))
	if err != nil {
		return nil, err
	}
	var want struct{ Flags []string }
	err = json.Unmarshal(text, &want)
	return want.Flags, err
}

// replay makes the witnesses of a copy of the subject, and replays each n times
// under each condition.
func (s subject) replay(ctx context.Context, n int) ([]row, error) {
	dir, moved := filepath.Join(s.work, "here", s.name), filepath.Join(s.work, "elsewhere", "module", s.name)
	if err := s.copyTo(dir, filepath.Join(s.root, "testdata", s.name)); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(dir, "testdata", "predict")); err != nil {
		return nil, err
	}
	flags, err := s.flags()
	if err != nil {
		return nil, err
	}
	test := exec.CommandContext(ctx, s.tool, append(append([]string{"test"}, flags...), "./...")...)
	test.Dir = dir
	if out, err := test.CombinedOutput(); err != nil && test.ProcessState.ExitCode() != 1 {
		return nil, fmt.Errorf("gopredict test: %w\n%s", err, out)
	}
	if err := s.copyTo(moved, dir); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*"))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, file := range files {
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return nil, err
		}
		r := row{subject: s.name, witness: filepath.Base(file)}
		for _, c := range conditions {
			in := dir
			if c.moved {
				in = moved
			}
			reached, err := s.times(ctx, c, in, rel, n)
			if err != nil {
				return nil, err
			}
			r.reached = append(r.reached, reached)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// copyTo copies the module in from, of which go.mod may name gopredict by a
// relative path.
func (s subject) copyTo(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	mod := filepath.Join(to, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		return err
	}
	return os.WriteFile(mod, []byte(strings.Replace(string(text), "=> ../..", "=> "+s.root, 1)), 0o666)
}

var reachedIn = regexp.MustCompile(`reached in (\d+) of (\d+) replays`)

// times replays one witness n times under a condition, and returns how many of
// these reached the bug.
func (s subject) times(ctx context.Context, c condition, dir, file string, n int) (int, error) {
	if c.load {
		stop, err := busy(ctx)
		if err != nil {
			return 0, err
		}
		defer stop()
	}
	line := append(slices.Clone(c.wrap), s.tool, "replay", "-n", strconv.Itoa(n), file)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), c.env...)
	out, err := cmd.CombinedOutput()
	m := reachedIn.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s: gopredict replay %s: %w\n%s", c.name, file, err, out)
	}
	return strconv.Atoi(string(m[1]))
}
