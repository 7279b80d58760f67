// Outcomes runs test suites of others as they are and with gopredict, compares
// the result of each test by its name, and writes a table: what runs under
// gopredict must come out as it does without.
//
//	go run ./internal/measure/outcomes -o docs/suites.md
//
// The suites are those of std packages, which are instrumented themselves, and
// of public modules from the module proxy. Arguments "path@version" name other
// modules to be run instead:
//
//	go run ./internal/measure/outcomes github.com/spf13/cobra@latest
//
// It exits with 1 if a result differs and there is no reason for it in [reasons].
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func log(format string, args ...any) { fmt.Fprintf(os.Stderr, "outcomes: "+format+"\n", args...) }

func main() {
	flags := flag.NewFlagSet("outcomes", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the suites whose names match")
	rounds := flags.Int("plain", 3, "how often a suite is run as it is, to know the tests whose results vary")
	keep := flags.String("keep", "", "folder for the output of each run, the reports and the traces; without it, they are removed")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		goVersion, err := goCommand(ctx, j.Dir, "env", "GOVERSION")
		if err != nil {
			return false, err
		}
		goVersion = strings.TrimSpace(goVersion)
		r := &runner{tool: j.Tool, work: j.Dir, keep: *keep, rounds: *rounds}
		if r.keep == "" {
			r.keep = filepath.Join(j.Dir, "keep")
		}
		var results []*comparison
		good := true
		text := ""
		for _, s := range chosen(j.Rest) {
			if !match.MatchString(s.name) {
				continue
			}
			c, err := r.compare(ctx, s)
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			c.broken = err
			log("%s", c.summary())
			results = append(results, c)
			good = good && c.good()
			if *keep == "" {
				os.RemoveAll(r.keep)
			}
			// After each suite: an hour is long.
			text = page(results, j.Args, goVersion, runtime.NumCPU())
			if j.Out != "" {
				if err := script.Write(j.Out, text); err != nil {
					return false, err
				}
			}
		}
		if j.Out == "" {
			return good, script.Write(j.Out, text)
		}
		return good, nil
	})
}

// chosen are the suites of the modules that are named, or else all.
func chosen(modules []string) []suite {
	if len(modules) == 0 {
		return suites
	}
	var named []suite
	for _, m := range modules {
		named = append(named, module(m))
	}
	return named
}
