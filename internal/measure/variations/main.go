// Variations runs the small tests of testdata/kinds/variations with go test -race
// -count=50 and with gopredict, and writes a table of both. Each has one bug, in one of
// the forms in which users write it, but for those of the package right, which look
// alike and have none.
//
//	go run ./internal/measure/variations -o docs/measured/variations.md
//
// It exits with 1 if a bug that -race sees is not confirmed, or if something is
// in what is right.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() {
	flags := flag.NewFlagSet("variations", flag.ExitOnError)
	count := flags.Int("count", 50, "how many times each test runs with -race")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		s := &subject{dir: filepath.Join(j.Dir, "variations"), tool: j.Tool}
		if err := s.copy("testdata/kinds/variations"); err != nil {
			return false, fmt.Errorf("copying the variations: %w", err)
		}
		if err := s.predict(ctx); err != nil {
			return false, err
		}
		if err := s.detect(ctx, *count); err != nil {
			return false, err
		}
		if err := script.Write(j.Out, s.table()); err != nil {
			return false, err
		}
		return s.good(), nil
	})
}
