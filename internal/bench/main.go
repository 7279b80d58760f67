// Command bench measures what recording costs: it runs the tests of a package
// plainly, under the race detector, and recorded, in turns, and prints a
// markdown table of the times and of the peak memory as ratios. See
// docs/speed.md.
//
//	go run ./internal/bench [-rounds N] [-run REGEXP] [-each=false] [DIR...]
//
// Each DIR is the folder of a package in a module; testdata/kernels is what is
// measured by default. With -each (the default) every test is measured on its
// own, else the whole package.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context) error {
	rounds := flag.Int("rounds", 5, "how often each test is run in each way")
	run := flag.String("run", ".", "tests to measure, as for go test")
	each := flag.Bool("each", true, "measure every test on its own")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{filepath.Join("testdata", "kernels")}
	}
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	var table table
	for i, dir := range dirs {
		own := filepath.Join(work, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o755); err != nil {
			return err
		}
		s, err := buildSubject(ctx, dir, own)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		tests := []string{""}
		if *each {
			if tests, err = s.tests(ctx, *run); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
		for _, test := range tests {
			pattern := "^" + test + "$"
			if test == "" {
				test, pattern = filepath.Base(dir), *run
			}
			r, err := s.measure(ctx, pattern, *rounds)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", dir, test, err)
			}
			table.add(test, r)
		}
	}
	table.print(os.Stdout)
	return nil
}
