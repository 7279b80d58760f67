// Outcomes runs test suites of others as they are and with gopredict, compares
// the result of each test by its name, and writes a table: what runs under
// gopredict must come out as it does without.
//
//	go run ./internal/outcomes -o docs/suites.md
//
// The suites are those of std packages, which are instrumented themselves, and
// of public modules from the module proxy. It exits with 1 if a result differs
// and there is no reason for it in [reasons].
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
	"runtime"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	good, err := run(ctx, os.Args[1:])
	if err != nil {
		log("%v", err)
		os.Exit(3)
	}
	if !good {
		os.Exit(1)
	}
}

func log(format string, args ...any) { fmt.Fprintf(os.Stderr, "outcomes: "+format+"\n", args...) }

// run does all, and reports whether each suite came out as it must.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("outcomes", flag.ExitOnError)
	out := flags.String("o", "", "file for the table; without it, the table goes to the standard output")
	tool := flags.String("tool", "", "gopredict's binary; without it, one is built of the module in this folder")
	only := flags.String("run", "", "regular expression: only the suites whose names match")
	rounds := flags.Int("plain", 3, "how often a suite is run as it is, to know the tests whose results vary")
	keep := flags.String("keep", "", "folder for the output of each run, the reports and the traces; without it, they are removed")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	dir, err := os.MkdirTemp("", "outcomes-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if *tool == "" {
		*tool = filepath.Join(dir, "gopredict")
		if err := build(ctx, *tool, "."); err != nil {
			return false, err
		}
	}
	goVersion, err := goCommand(ctx, dir, "env", "GOVERSION")
	if err != nil {
		return false, err
	}
	goVersion = strings.TrimSpace(goVersion)
	r := &runner{tool: *tool, work: dir, keep: *keep, rounds: *rounds}
	if r.keep == "" {
		r.keep = filepath.Join(dir, "keep")
	}
	var results []*comparison
	good := true
	for _, s := range suites {
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
		if err := write(*out, page(results, args, goVersion, runtime.NumCPU())); err != nil {
			return false, err
		}
	}
	if *out == "" {
		fmt.Print(page(results, args, goVersion, runtime.NumCPU()))
	}
	return good, nil
}

// write writes the table to a file, if there is a name for it.
func write(file, text string) error {
	if file == "" {
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

// build builds the command of the module in dir.
func build(ctx context.Context, binary, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building gopredict in %s: %w\n%s", dir, err, out)
	}
	return nil
}
