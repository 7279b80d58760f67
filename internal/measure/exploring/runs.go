package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// limit is the time for one run.
const limit = 20 * time.Second

// orders are those of chance, by a seed and the steps of the program.
var orders = [...]struct {
	name string
	of   func(seed, steps int) recorder.Order
}{
	{"POS", func(seed, _ int) recorder.Order { return recorder.POS(seed) }},
	{"PCT, 2", func(seed, steps int) recorder.Order { return recorder.PCT(seed, 2, steps) }},
	{"PCT, 3", func(seed, steps int) recorder.Order { return recorder.PCT(seed, 3, steps) }},
	{"gives way", func(seed, _ int) recorder.Order { return recorder.Seed(seed) }},
}

// measured reports whether there is nothing to measure of a program.
func (b *bench) measured(p *program) bool {
	return p.With != "" && (p.ChanceWith != "" || !p.bug || b.seeds == 0)
}

// measure does with one program what was not done yet.
func (b *bench) measure(ctx context.Context, p *program) error {
	if p.With == "" {
		if err := b.predicted(ctx, p); err != nil {
			return err
		}
	}
	if p.bug && b.seeds > 0 && p.ChanceWith == "" {
		return b.byChance(ctx, p)
	}
	return nil
}

// predicted runs gopredict on a program, as far as it goes and by default.
func (b *bench) predicted(ctx context.Context, p *program) (err error) {
	r := p.row
	// What a run has shown is told as what was predicted later, if that explains it.
	explores := []string{fmt.Sprint("-predict.explore=", most), "-predict.runs=1"}
	if r.Explored, err = b.predict(ctx, p, append(explores, "-predict.kinds=failure,deadlock")...); err != nil {
		return err
	}
	predicted, err := b.predict(ctx, p, explores...)
	if err != nil {
		return err
	}
	if n := predicted.Confirmed; n > 0 && (r.Explored.Confirmed == 0 || n < r.Explored.Confirmed) {
		r.Explored.Confirmed = n
	}
	if unseen[p.test] {
		if r.Further, err = b.predict(ctx, p, fmt.Sprint("-predict.explore=", further), "-predict.runs=1", "-predict.kinds=failure,deadlock"); err != nil {
			return err
		}
	}
	if r.Command, err = b.predict(ctx, p); err != nil {
		return err
	}
	r.With = b.commit
	return nil
}

// byChance runs a program in orders of chance, and plainly.
func (b *bench) byChance(ctx context.Context, p *program) error {
	steps, err := b.steps(ctx, p)
	if err != nil {
		return err
	}
	for k, o := range orders {
		p.Chance[k], err = b.median(func(seed, n int) (bool, error) {
			return b.fails(ctx, p, o.of(1+seed*most+n, steps), fmt.Sprint("trace", seed))
		})
		if err != nil {
			return err
		}
	}
	if p.Plain, err = b.plainly(ctx, p); err != nil {
		return err
	}
	p.ChanceWith = b.commit
	return nil
}

// median returns the middle one of how many runs it takes by each seed until one fails; more
// than most if that one does not. The n-th runs of all seeds are made beside each other, and
// no more once half of the seeds have failed.
func (b *bench) median(fails func(seed, n int) (bool, error)) (int, error) {
	failed, errs := make([]bool, b.seeds), make([]error, b.seeds)
	slots := make(chan bool, runtime.NumCPU())
	for n := range most {
		var all sync.WaitGroup
		left := 0
		for seed := range b.seeds {
			if failed[seed] {
				continue
			}
			slots <- true
			all.Go(func() {
				failed[seed], errs[seed] = fails(seed, n)
				<-slots
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
		for _, f := range failed {
			if !f {
				left++
			}
		}
		if left <= b.seeds/2 {
			return n + 1, nil
		}
	}
	return most + 1, nil
}

// fails runs a program in an order of chance.
func (b *bench) fails(ctx context.Context, p *program, order recorder.Order, file string) (bool, error) {
	run, err := p.run.Again(ctx, order, p.args(), filepath.Join(b.dir, file), limit)
	return run.Result == recorder.Fail, err
}

func (p *program) args() []string {
	return []string{"-test.run=^" + p.test + "$", "-test.timeout=0"}
}

// steps returns how many steps a program has.
func (b *bench) steps(ctx context.Context, p *program) (int, error) {
	file := filepath.Join(b.dir, "steps")
	if _, err := p.run.Again(ctx, recorder.NewestFirst, p.args(), file, limit); err != nil {
		return 0, err
	}
	t, err := trace.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return recorder.Steps(t, p.test), nil
}

// plainly runs a program as go test does until it fails, as often as there are seeds, and
// returns the middle one of how many runs that took.
func (b *bench) plainly(ctx context.Context, p *program) (int, error) {
	var all []int
	for range b.seeds {
		cmd := exec.CommandContext(ctx, p.binary, append(p.args(), "-test.v", "-test.failfast", fmt.Sprint("-test.count=", most))...)
		cmd.Dir = p.dir
		out, err := cmd.Output()
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			return 0, err
		}
		n := bytes.Count(out, []byte("=== RUN"))
		if err == nil {
			n++
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all[(len(all)-1)/2], nil
}

// predict runs gopredict test on a program.
func (b *bench) predict(ctx context.Context, p *program, flags ...string) (o outcome, err error) {
	if err := os.RemoveAll(filepath.Join(p.dir, "testdata")); err != nil { // witnesses
		return o, err
	}
	return b.outcome(ctx, p.dir, slices.Concat([]string{"-run=^" + p.test + "$"}, flags, []string{"."})...)
}

// outcome runs gopredict test in a folder, on one test.
func (b *bench) outcome(ctx context.Context, dir string, args ...string) (o outcome, err error) {
	var r struct {
		Packages []struct {
			Runs     int
			Explored []struct {
				Runs, Behaviours int
				Complete         bool
			}
		}
		Findings []struct {
			Status bug.Status
			Effect bug.Effect
			Run    int
		}
	}
	if _, _, err := script.Predict(ctx, b.tool, dir, &r, append([]string{"-count=1"}, args...)...); err != nil {
		return o, err
	}
	for _, pkg := range r.Packages {
		o.Runs += 1 + pkg.Runs
		for _, e := range pkg.Explored {
			o.Runs, o.Behaviours, o.Complete = e.Runs, e.Behaviours, e.Complete
		}
	}
	for _, f := range r.Findings {
		if n := 1 + f.Run; f.Status == bug.Confirmed && f.Effect.Harm() >= bug.TestFailure.Harm() && (o.Confirmed == 0 || n < o.Confirmed) {
			o.Confirmed = n
		}
	}
	return o, nil
}
