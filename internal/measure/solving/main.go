// Command solving measures what it takes to decide candidates by solving, and
// makes docs/measured/solving.md:
//
//	go run ./internal/measure/solving [-o docs/measured/solving.md] [-run REGEXP] [DIR ...]
//
// It records the programs of testdata/papers/fusion and has both engines decide what they
// assert, on the same formulas, and the built-in one whether regions of theirs are
// atomic; it decides each candidate of the traces in the
// folders DIR, in RAPID's std format, over its cone and over the whole trace; and
// those of random traces of the sizes that a paper has. It runs in the root of the
// repository, and exits with 1 if an engine says something else than expected.
package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("solving", run) }

const heading = `# What solving costs

Made by ` + "`go run ./internal/measure/solving -o docs/measured/solving.md DIR`" + `, with the traces of
other analysers in DIR. Times are processor seconds.
`

// run makes the page, and reports whether all answers are as expected.
func run(ctx context.Context, args []string) (good bool, err error) {
	flags := flag.NewFlagSet("solving", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "take the rows whose names match `REGEXP`")
	out := flags.String("o", "", "`FILE` for the tables; without it, they go to the standard output")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	page := &strings.Builder{}
	fmt.Fprint(page, heading)
	if good, err = measureFusion(ctx, page, &match); err != nil {
		return false, err
	}
	atomic, err := measureTable2(ctx, page, &match)
	if err != nil {
		return false, err
	}
	good = good && atomic
	if err := measureTraces(ctx, page, flags.Args(), &match); err != nil {
		return false, err
	}
	if err := measureTable3(ctx, page, &match); err != nil {
		return false, err
	}
	return good, script.Write(*out, page.String())
}
