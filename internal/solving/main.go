// Command solving measures what it takes to decide candidates by solving, and
// makes docs/solving.md:
//
//	go run ./internal/solving -o docs/solving.md DIR
//
// It decides each candidate of the traces in DIR, in RAPID's std format, over
// its cone and over the whole trace; and those of random traces of the sizes that
// the paper of package symbolic has.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
)

func main() {
	out := flag.String("o", "", "file to write the table to")
	flag.Parse()
	w := io.Writer(os.Stdout)
	if *out != "" {
		f, err := os.Create(*out)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer f.Close()
		w = f
	}
	if err := run(w, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const heading = `# What solving costs

Made by ` + "`go run ./internal/solving -o docs/solving.md DIR`" + `, with the traces of
other analysers in DIR. Each pair of accesses that may race is one query, decided
by the built-in solver over its cone (the events that it may depend on) and over
the whole trace. Times are processor seconds for one query, with making its
formula.

`

func run(w io.Writer, dirs []string) error {
	fmt.Fprint(w, heading)
	fmt.Fprintln(w, "| trace | events | pairs | scope | sat | unsat | unknown | largest cone | mean s | worst s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.std"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := measure(w, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return measureTable3(w)
}

func measure(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := trace.ReadRAPID(f)
	if err != nil {
		return err
	}
	o, err := order.New(t)
	if err != nil {
		return err
	}
	var pairs [][2]int
	for _, c := range anomaly.FindRaces(t, o).Candidates {
		pairs = append(pairs, c.Pairs...)
	}
	m := symbolic.New(t, o)
	for _, scope := range []string{"cone", "whole"} {
		r, err := decide(m, pairs, scope)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %d | %d | %s | %d | %d | %d | %d | %.4f | %.4f |\n",
			strings.TrimSuffix(filepath.Base(file), ".std"), len(t.Events), len(pairs), scope,
			r.answers[solver.Sat], r.answers[solver.Unsat], r.answers[solver.Unknown], r.largest,
			r.total.Seconds()/float64(max(1, len(pairs))), r.worst.Seconds())
	}
	return nil
}

type result struct {
	answers      [3]int
	largest      int
	total, worst time.Duration
}

// decide decides each pair for itself.
func decide(m *symbolic.Model, pairs [][2]int, scope string) (r result, err error) {
	for _, p := range pairs {
		target := symbolic.Race(p[0], p[1])
		start := spent()
		cone, ok := m.Cone(0, target)
		if scope == "whole" {
			cone, ok = m.Whole(target)
		}
		a := symbolic.Answer{Answer: solver.Unsat}
		if ok {
			f := solver.NewFormula()
			e, err := m.Encode(cone, f, solver.NewBuiltin(f))
			if err != nil {
				return r, err
			}
			if a, err = e.Solve(context.Background(), target, &solver.Budget{Steps: 5 * solver.Second}); err != nil {
				return r, err
			}
			r.largest = max(r.largest, cone.Events())
		}
		took := spent() - start
		r.answers[a.Answer]++
		r.total += took
		r.worst = max(r.worst, took)
	}
	return r, nil
}
