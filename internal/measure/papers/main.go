// Command papers runs gopredict on the programs that the papers measure, which
// testdata/papers has in Go, and writes what it found beside the papers' own
// numbers: how many candidates each tier leaves, what is confirmed, and which of
// the bugs that were counted by hand are missed.
//
//	go run ./internal/measure/papers [-run REGEXP] [-short] [-o docs/papers.md]
//
// Some programs are as large as the papers' were, in events; with -short, they are
// small.
//
// It runs in the root of the repository, and exits with 1 if something was
// confirmed that the count by hand does not have.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("papers", run) }

// run does all, and reports whether nothing unknown was confirmed.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("papers", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "take the programs whose names match `REGEXP`")
	short := flags.Bool("short", false, "run the tests with -short")
	out := flags.String("o", "", "`FILE` for the tables; without it, they go to the standard output")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	var with []string
	if *short {
		with = append(with, "-short")
	}
	results, err := measure(ctx, &match, with...)
	if err != nil {
		return false, err
	}
	text := document(results)
	if err := script.Write(*out, text); err != nil {
		return false, err
	}
	good := true
	for _, r := range results {
		for _, f := range r.unknown {
			fmt.Fprintf(os.Stderr, "papers: %s: confirmed, and not in bugs.txt as real: %s\n", r.name, f)
			good = false
		}
	}
	return good, nil
}

// measure runs the command, with flags, on each program that matches.
func measure(ctx context.Context, match *regexp.Regexp, flags ...string) ([]result, error) {
	work, err := os.MkdirTemp("", "papers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	tool, err := script.Build(ctx, ".", work)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "papers")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "papers"))); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "bugs.txt"))
	if err != nil {
		return nil, err
	}
	var results []result
	for _, file := range files {
		programs, err := readPrograms(file)
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			if !match.MatchString(p.name) {
				continue
			}
			r, err := p.measure(ctx, tool, dir, filepath.Join(work, "keep", p.name), flags...)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			results = append(results, *r)
		}
	}
	return results, nil
}
