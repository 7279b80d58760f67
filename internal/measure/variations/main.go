// Variations runs the small tests of testdata/variations with go test -race
// -count=50 and with gopredict, and writes a table of both. Each has one bug, in one of
// the forms in which users write it, but for those of the package right, which look
// alike and have none.
//
//	go run ./internal/measure/variations -o docs/variations.md
//
// It exits with 1 if a bug that -race sees is not confirmed, or if something is
// in what is right.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("variations", run) }

// run does all, and reports whether the variations came out as they must.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("variations", flag.ExitOnError)
	out := flags.String("o", "", "file for the table; without it, the table goes to the standard output")
	tool := flags.String("tool", "", "gopredict's binary; without it, one is built of the module in this folder")
	count := flags.Int("count", 50, "how many times each test runs with -race")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "variations-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if *tool == "" {
		if *tool, err = script.Build(ctx, ".", dir); err != nil {
			return false, err
		}
	}
	s := &subject{dir: filepath.Join(dir, "variations"), tool: *tool}
	if err := s.copy("testdata/variations"); err != nil {
		return false, fmt.Errorf("copying the variations: %w", err)
	}
	if err := s.predict(ctx); err != nil {
		return false, err
	}
	if err := s.detect(ctx, *count); err != nil {
		return false, err
	}
	if err := script.Write(*out, s.table()); err != nil {
		return false, err
	}
	return s.good(), nil
}
