package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
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

// measure does all with one program.
func (b *bench) measure(ctx context.Context, p *program) (err error) {
	if p.explored, err = b.predict(ctx, p, fmt.Sprint("-predict.explore=", most), "-predict.runs=1", "-predict.kinds=failure,deadlock"); err != nil {
		return err
	}
	if p.command, err = b.predict(ctx, p); err != nil || !p.bug {
		return err
	}
	steps, err := b.steps(ctx, p)
	if err != nil {
		return err
	}
	for k, o := range orders {
		p.chance[k], err = b.each(func(seed int) (int, error) {
			return b.until(ctx, p, func(n int) recorder.Order { return o.of(1+seed*most+n, steps) })
		})
		if err != nil {
			return err
		}
	}
	p.plain, err = b.each(func(int) (int, error) { return p.plainly(ctx) })
	return err
}

// each calls f for all seeds, beside each other.
func (b *bench) each(f func(seed int) (int, error)) ([]int, error) {
	out, errs := make([]int, b.seeds), make([]error, b.seeds)
	var all sync.WaitGroup
	slots := make(chan bool, runtime.NumCPU())
	for seed := range b.seeds {
		slots <- true
		all.Go(func() {
			out[seed], errs[seed] = f(seed)
			<-slots
		})
	}
	all.Wait()
	return out, errors.Join(errs...)
}

// until runs a program in orders of chance until it fails, and returns how often; more than
// most if it does not.
func (b *bench) until(ctx context.Context, p *program, order func(n int) recorder.Order) (int, error) {
	dir, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	for n := range most {
		run, err := p.run.Again(ctx, order(n), p.args(), filepath.Join(dir, "trace"), limit)
		if err != nil {
			return 0, err
		}
		if run.Result == recorder.Fail {
			return n + 1, nil
		}
	}
	return most + 1, nil
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

// plainly runs a program as go test does until it fails, and returns how often.
func (p *program) plainly(ctx context.Context) (int, error) {
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
	return n, nil
}

// predict runs gopredict test on a program.
func (b *bench) predict(ctx context.Context, p *program, flags ...string) (o outcome, err error) {
	report := filepath.Join(b.dir, "report.json")
	if err := os.RemoveAll(filepath.Join(p.dir, "testdata")); err != nil { // witnesses
		return o, err
	}
	args := append([]string{"test", "-count=1", "-run=^" + p.test + "$", "-predict.json=" + report}, flags...)
	cmd := exec.CommandContext(ctx, b.tool, append(args, ".")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own children
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return o, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return o, fmt.Errorf("gopredict wrote no report: %w\n%s", err, out)
	}
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
	if err := json.Unmarshal(text, &r); err != nil {
		return o, fmt.Errorf("reading the report: %w", err)
	}
	for _, pkg := range r.Packages {
		o.runs += 1 + pkg.Runs
		for _, e := range pkg.Explored {
			o.runs, o.count, o.complete = e.Runs, e.Behaviours, e.Complete
		}
	}
	for _, f := range r.Findings {
		if n := 1 + f.Run; f.Status == bug.Confirmed && f.Effect.Harm() >= bug.TestFailure.Harm() && (o.confirmed == 0 || n < o.confirmed) {
			o.confirmed = n
		}
	}
	return o, nil
}
