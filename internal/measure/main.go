// Command measure measures gopredict, and makes the pages of docs/measured.
//
//	go run ./internal/measure SUITE [-o PAGE] [-rows FILE] [-run PATTERN] [-tool BINARY] [FLAGS]
//
// Without a suite it lists them. It runs in the root of the repository. It exits with 1 if the
// suite finds that something is not as it must be: a bug that is not found, a test that comes
// out otherwise, a mistake that no test notices.
package main

import (
	"os"
	"slices"

	"github.com/gopredict/gopredict/internal/measure/bugs"
	"github.com/gopredict/gopredict/internal/measure/others"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/measure/sources"
	"github.com/gopredict/gopredict/internal/measure/theory"
)

func main() {
	bugs.RunTimed(os.Args[1:])
	run.Main(slices.Concat(bugs.Suites, others.Suites, theory.Suites, sources.Suites), os.Args[1:])
}
