// Command papers runs gopredict on the programs that the papers measure, which
// testdata/papers/programs has in Go, and writes what it found beside the papers' own
// numbers: how many candidates each tier leaves, what is confirmed, and which of
// the bugs that were counted by hand are missed.
//
//	go run ./internal/measure/papers [-run REGEXP] [-short] [-o docs/measured/papers.md]
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

func main() {
	flags := flag.NewFlagSet("papers", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "take the programs whose names match `REGEXP`")
	short := flags.Bool("short", false, "run the tests with -short")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		var with []string
		if *short {
			with = append(with, "-short")
		}
		results, err := measure(ctx, j.Tool, j.Dir, &match, with...)
		if err != nil {
			return false, err
		}
		if err := script.Write(j.Out, document(results)); err != nil {
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
	})
}

// measure runs the command tool, with flags, on each program that matches. It keeps its
// files in the folder work.
func measure(ctx context.Context, tool, work string, match *regexp.Regexp, flags ...string) ([]result, error) {
	dir := filepath.Join(work, "papers")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "papers", "programs"))); err != nil {
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
