// Command losses compares instrumenting all memory accesses with instrumenting
// those that the sharing analysis (package sharing) keeps: it records the tests
// of packages with all of them, and looks whether an access that may race, by
// must-order and lock sets, is at a place that the analysis leaves out. None
// may be.
//
//	go run ./internal/losses [-random N] [-seed N] [DIR...]
//
// Each DIR is the folder of a package in a module. With -random, that many
// packages of random concurrent programs are made and compared, too.
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
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "losses:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	random := flag.Int("random", 0, "number of packages of random programs")
	seed := flag.Uint64("seed", 1, "of the first of them")
	flag.Parse()
	work, err := os.MkdirTemp("", "losses")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	dirs := flag.Args()
	for i := range *random {
		dir, err := writeRandom(work, *seed+uint64(i), programs)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	fmt.Println("| package | sites | kept | events | not needed | candidates for races | lost |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	lost := 0
	for i, dir := range dirs {
		own := filepath.Join(work, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o755); err != nil {
			return err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return err
		}
		c, err := compare(ctx, dir, own)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", filepath.Base(dir), c.sites, c.kept, c.events, c.quiet, c.candidates, len(c.lost))
		for _, l := range c.lost {
			fmt.Fprintln(os.Stderr, l)
		}
		lost += len(c.lost)
		if err := os.RemoveAll(own); err != nil {
			return err
		}
	}
	if lost > 0 {
		return fmt.Errorf("%d accesses that may race are left out", lost)
	}
	return nil
}

// programs is the number of random programs in a package.
const programs = 200

// writeRandom makes a module with random programs in a new folder below work.
func writeRandom(work string, seed uint64, n int) (string, error) {
	dir := filepath.Join(work, fmt.Sprint("random", seed))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/random\n\ngo 1.26\n"), 0o644); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "random_test.go"), []byte(generate(seed, n)), 0o644)
}
