// Outcomes runs test suites of others as they are and with gopredict, compares
// the result of each test by its name, and writes a table: what runs under
// gopredict must come out as it does without.
//
//	go run ./internal/measure/outcomes -o docs/measured/suites.md
//
// The suites are those of std packages, which are instrumented themselves, and
// of public modules from the module proxy. Arguments "path@version" name other
// modules to be run instead:
//
//	go run ./internal/measure/outcomes github.com/spf13/cobra@latest
//
// With -rows the page can be made in parts, as of other suites with -run.
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
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func log(format string, args ...any) { fmt.Fprintf(os.Stderr, "outcomes: "+format+"\n", args...) }

func main() {
	flags := flag.NewFlagSet("outcomes", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the suites whose names match")
	rounds := flags.Int("plain", 3, "how often a suite is run as it is, to know the tests whose results vary")
	costs := flags.Bool("costs", false, "run each suite also without exploring, and once more with it, to tell what that costs")
	keep := flags.String("keep", "", "folder for the output of each run, the reports and the traces; without it, they are removed")
	kept := flags.String("rows", "", "`FILE` that keeps what was measured: a suite that is there is not run again, and the page has all that are there")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		goVersion, err := goCommand(ctx, j.Dir, "env", "GOVERSION")
		if err != nil {
			return false, err
		}
		goVersion = strings.TrimSpace(goVersion)
		r := &runner{tool: j.Tool, work: j.Dir, keep: *keep, rounds: *rounds, costs: *costs}
		if r.keep == "" {
			r.keep = filepath.Join(j.Dir, "keep")
		}
		measured := make(map[string]row)
		if _, err := script.LoadRows(*kept, "what was measured of suites, as -rows writes it", &measured); err != nil {
			return false, err
		}
		var rows []row
		for _, s := range chosen(j.Rest) {
			title := s.title()
			if _, is := measured[title]; !is && match.MatchString(s.name) {
				c, err := r.compare(ctx, s)
				if ctx.Err() != nil {
					return false, context.Cause(ctx)
				}
				c.broken = err
				log("%s", c.summary())
				measured[title] = c.row()
				if err := script.SaveRows(*kept, measured); err != nil {
					return false, err
				}
				if *keep == "" {
					os.RemoveAll(r.keep)
				}
			}
			if row, is := measured[title]; is {
				rows = append(rows, row)
			}
		}
		good := !slices.ContainsFunc(rows, func(r row) bool { return !r.good() })
		return good, script.Write(j.Out, page(rows, j.Args, goVersion, runtime.NumCPU()))
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
