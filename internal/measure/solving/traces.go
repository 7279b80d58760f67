package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
)

const tracesHeading = `
## Traces of other analysers

Each pair of accesses that may race is one query, decided by the built-in engine
over its cone (the events that it may depend on) and over the whole trace, with
making its formula.

| trace | events | pairs | scope | sat | unsat | unknown | largest cone | mean s | worst s |
|---|---|---|---|---|---|---|---|---|---|
`

// measureTraces adds a table of the traces in the folders.
func measureTraces(ctx context.Context, w io.Writer, dirs []string, match *regexp.Regexp) error {
	fmt.Fprint(w, tracesHeading)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.std"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if !match.MatchString(strings.TrimSuffix(filepath.Base(file), ".std")) {
				continue
			}
			if err := measure(ctx, w, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

func measure(ctx context.Context, w io.Writer, file string) error {
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
		r, err := decide(ctx, m, pairs, scope)
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
func decide(ctx context.Context, m *symbolic.Model, pairs [][2]int, scope string) (r result, err error) {
	for _, p := range pairs {
		target := symbolic.Standing(p[0], p[1])
		start := script.Processor()
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
			if a, err = e.Solve(ctx, target, &solver.Budget{Steps: 5 * solver.Second}); err != nil {
				return r, err
			}
			r.largest = max(r.largest, cone.Events())
		}
		took := script.Processor() - start
		r.answers[a.Answer]++
		r.total += took
		r.worst = max(r.worst, took)
	}
	return r, nil
}
