// Command papers runs gopredict on the programs that the papers measure, which
// testdata/papers has in Go, and writes what it found beside the papers' own
// numbers: how many candidates each tier leaves, what is confirmed, and which of
// the bugs that were counted by hand are missed.
//
//	go run ./internal/papers [-run REGEXP] [-o docs/papers.md]
//
// It runs in the root of the repository, and exits with 1 if something was
// confirmed that the count by hand does not have.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	good, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(3)
	}
	if !good {
		os.Exit(1)
	}
}

// run does all, and reports whether nothing unknown was confirmed.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("papers", flag.ExitOnError)
	only := flags.String("run", "", "take the programs whose names match `REGEXP`")
	out := flags.String("o", "", "`FILE` for the tables; without it, they go to the standard output")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	results, err := measure(ctx, match)
	if err != nil {
		return false, err
	}
	text := document(results)
	if *out == "" {
		fmt.Print(text)
	} else if err := os.WriteFile(*out, []byte(text), 0o666); err != nil {
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

// measure runs the command on each program that matches.
func measure(ctx context.Context, match *regexp.Regexp) ([]result, error) {
	work, err := os.MkdirTemp("", "papers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	tool := filepath.Join(work, "gopredict")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building gopredict in this folder: %w\n%s", err, text)
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
			r, err := p.measure(ctx, tool, dir, filepath.Join(work, "keep", p.name))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			results = append(results, *r)
		}
	}
	return results, nil
}
