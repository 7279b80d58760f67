// Edits changes the code around bugs of testdata's subjects, and asks what has become of each
// bug: a witness that was saved before is replayed in the sources as they are then.
//
//	go run ./internal/measure/edits -o docs/measured/edits.md
//
// Of each subject thirty edits are tried: half of them leave the bug there, and half fix it.
// With -rows the table can be made in parts. It exits with 1 if an answer is wrong: a bug that
// is there must not be fixed, nor one be there that is fixed; or if more than a fifth of the
// answers say that it cannot be told.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
	folders "github.com/gopredict/gopredict/internal/subjects"
)

func main() {
	flags := flag.NewFlagSet("edits", flag.ExitOnError)
	kept := flags.String("rows", "", "`FILE` that keeps the answers: those that are there are not asked for again")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the edits whose subject/name matches")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		t := &table{Job: j, kept: *kept, match: &match}
		if _, err := script.LoadRows(t.kept, "answers, as -rows writes them", &t.rows); err != nil {
			return false, err
		}
		if err := t.fill(ctx); err != nil {
			return false, err
		}
		return t.good(), script.Write(j.Out, t.page())
	})
}

// An answer is what gopredict replay says of a bug.
type answer string

const (
	there   answer = "there"
	fixed   answer = "fixed"
	unknown answer = "cannot tell"
	none    answer = "" // the edit does not fit: the module does not compile
)

// answers are those of replay's exit codes.
var answers = map[int]answer{0: fixed, 1: there, 2: unknown}

// A row is one edit of one subject.
type row struct {
	Subject, Edit string
	Truth, Answer answer
	Reason        string // where it cannot be told, or the answer is wrong
}

type table struct {
	script.Job
	kept  string
	match *regexp.Regexp
	rows  []row
}

// row is that of an edit, nil if there is none.
func (t *table) row(subject, edit string) *row {
	for i := range t.rows {
		if r := &t.rows[i]; r.Subject == subject && r.Edit == edit {
			return r
		}
	}
	return nil
}

// fill asks for the rows that are not there.
func (t *table) fill(ctx context.Context) error {
	all, err := read()
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := t.ask(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// ask asks of one subject.
func (t *table) ask(ctx context.Context, s subject) error {
	var witness string
	counts, skipped := make(map[answer]int), false
	for k, e := range s.edits {
		if counts[e.truth] == perTruth {
			continue
		}
		if r := t.row(s.name, e.name); r != nil {
			if r.Answer != none {
				counts[e.truth]++
			}
			continue
		}
		if !t.match.MatchString(s.name + "/" + e.name) {
			skipped = true
			continue
		}
		dir := filepath.Join(t.Dir, fmt.Sprintf("%s-%d", s.name, k))
		if err := copySubject(s.name, dir); err != nil {
			return err
		}
		changed, err := e.apply(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if !changed {
			continue
		}
		if witness == "" {
			if witness, err = t.record(ctx, s); err != nil {
				return err
			}
		}
		r, err := t.replay(ctx, s, e, dir, witness)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s, %s: %s, which is %s %s\n", r.Subject, r.Edit, r.Answer, r.Truth, r.Reason)
		if r.Answer != none {
			counts[e.truth]++
		}
		t.rows = append(t.rows, r)
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := script.SaveRows(t.kept, t.rows); err != nil {
			return err
		}
	}
	if !skipped && (counts[there] != perTruth || counts[fixed] != perTruth) {
		return fmt.Errorf("%d edits leave the bug there, and %d fix it, expected %d each", counts[there], counts[fixed], perTruth)
	}
	return nil
}

// copySubject copies a subject to dir, where its go.mod still finds gopredict.
func copySubject(name, dir string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return folders.Copy(root, name, dir)
}

// record returns the witness of the subject's bug.
func (t *table) record(ctx context.Context, s subject) (string, error) {
	dir := filepath.Join(t.Dir, s.name)
	if err := copySubject(s.name, dir); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, t.Tool, "test", "-run=^"+s.test+"$", "-predict.kinds="+s.kind, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	files, _ := filepath.Glob(filepath.Join(dir, "testdata", "predict", s.test, s.kind+"-*"))
	if len(files) == 0 {
		return "", fmt.Errorf("expected a witness of kind %s, found none (%v)\n%s", s.kind, err, out)
	}
	return files[0], nil
}

// doesNotBuild is what gopredict replay says of an edit that does not fit.
var doesNotBuild = regexp.MustCompile(`(?m)^gopredict: .* does not build$`)

// replay asks what has become of the bug after an edit.
func (t *table) replay(ctx context.Context, s subject, e edit, dir, witness string) (row, error) {
	r := row{Subject: s.name, Edit: e.name, Truth: e.truth}
	file := filepath.Join(dir, "testdata", "predict", s.test, filepath.Base(witness))
	text, err := os.ReadFile(witness)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, t.Tool, "replay", file)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return r, err
	}
	code := cmd.ProcessState.ExitCode()
	if doesNotBuild.Match(out) {
		return r, nil
	}
	var ok bool
	if r.Answer, ok = answers[code]; !ok {
		return r, fmt.Errorf("gopredict replay: exit code %d\n%s", code, out)
	}
	if r.Answer != r.Truth {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		_, r.Reason, _ = strings.Cut(lines[len(lines)-1], ": ")
	}
	return r, nil
}
