// Command losses compares instrumenting all memory accesses with instrumenting
// those that the sharing analysis (package sharing) keeps: it records the tests
// of packages with all of them, and looks whether an access that may race, by
// must-order and lock sets, is at a place that the analysis leaves out. None
// may be.
//
//	go run ./internal/measure/losses [-random N] [-seed N] [DIR...]
//
// Each DIR is the folder of a package in a module. With -random, that many
// packages of random concurrent programs are made and compared, too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("losses", run) }

func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("losses", flag.ExitOnError)
	random := flags.Int("random", 0, "number of packages of random programs")
	seed := flags.Uint64("seed", 1, "of the first of them")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "losses")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	dirs := flags.Args()
	for i := range *random {
		dir, err := writeRandom(work, *seed+uint64(i), programs)
		if err != nil {
			return false, err
		}
		dirs = append(dirs, dir)
	}
	fmt.Println("| package | sites | kept | events | not needed | candidates for races | lost |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	lost := 0
	for i, dir := range dirs {
		own := filepath.Join(work, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o755); err != nil {
			return false, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return false, err
		}
		c, err := compare(ctx, dir, own)
		if err != nil {
			return false, fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", filepath.Base(dir), c.sites, c.kept, c.events, c.quiet, c.candidates, len(c.lost))
		for _, l := range c.lost {
			fmt.Fprintln(os.Stderr, l)
		}
		lost += len(c.lost)
		if err := os.RemoveAll(own); err != nil {
			return false, err
		}
	}
	if lost > 0 {
		fmt.Fprintf(os.Stderr, "losses: %d accesses that may race are left out\n", lost)
	}
	return lost == 0, nil
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
