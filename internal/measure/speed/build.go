package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/measure/script"

	"github.com/gopredict/gopredict/internal/gotool"
)

// built are the modules of which the builds are measured.
var built = []string{"github.com/spf13/viper@v1.21.0"}

// builds measures how long it takes until the tests of each module could
// begin: with an empty build cache, with one file changed, and with nothing
// changed since. No test is run.
func (b *bench) builds(ctx context.Context) (rows []row, err error) {
	for i, module := range built {
		name, _, _ := strings.Cut(module, "@")
		if !b.selected("build/" + name) {
			continue
		}
		own, err := b.build(ctx, name, module, filepath.Join(b.work, fmt.Sprint("build", i)))
		if err != nil {
			return nil, fmt.Errorf("build/%s: %w", name, err)
		}
		rows = append(rows, own...)
	}
	return rows, nil
}

func (b *bench) build(ctx context.Context, name, module, work string) (rows []row, err error) {
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "module")
	if _, err := script.Download(ctx, module, dir); err != nil {
		return nil, err
	}
	command := filepath.Join(work, "gopredict")
	if _, err := gotool.Output(ctx, "", "build", "-o", command, "."); err != nil {
		return nil, err
	}
	source, err := anyFile(ctx, dir)
	if err != nil {
		return nil, err
	}
	start := func(w way) (cost, error) {
		words := [ways][]string{plain: {"go", "test"}, race: {"go", "test", "-race"}, recorded: {command, "test"}}[w]
		cmd := exec.CommandContext(ctx, words[0], append(words[1:], "-count=1", "-run=^$", "./...")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PWD="+dir, "GOCACHE="+filepath.Join(work, w.String()))
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%v\n%s", err, out)
		}
		return cost{seconds: time.Since(start).Seconds()}, err
	}
	once := *b
	once.rounds = 1
	for _, kind := range []struct {
		name   string
		bench  *bench
		before func() error
	}{
		{"cold", &once, func() error { return nil }},
		{"one file changed", b, func() error { return change(source) }},
		{"nothing changed", b, func() error { return nil }},
	} {
		costs, err := kind.bench.inTurns(func(w way) (cost, error) {
			if err := kind.before(); err != nil {
				return cost{}, err
			}
			return start(w)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		rows = append(rows, row{name + ", " + kind.name, costs})
	}
	return rows, nil
}

// anyFile returns a source file of the package in dir.
func anyFile(ctx context.Context, dir string) (string, error) {
	out, err := gotool.Output(ctx, dir, "list", "-f", "{{index .GoFiles 0}}")
	return filepath.Join(dir, strings.TrimSpace(string(out))), err
}

// change adds a declaration to a source file.
func change(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "\nvar _ = %d\n", time.Now().UnixNano()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
