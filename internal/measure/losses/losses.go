package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A comparison is what the sharing analysis saves in one package's tests, and
// what it costs.
type comparison struct {
	sites, kept   int // that the rewriter makes without and with it
	events, quiet int // reads, writes and branches; those at sites that are not kept
	candidates    int // for races
	lost          []string
}

// compare instruments all of the package in dir and runs its tests. Whatever
// may race in the trace must have a site that the sharing analysis keeps.
func compare(ctx context.Context, dir, work string) (*comparison, error) {
	all, err := prepare(ctx, dir, filepath.Join(work, "all"), true)
	if err != nil {
		return nil, err
	}
	binary, err := all.TestBinary(ctx)
	if err != nil {
		return nil, err
	}
	shared, err := prepare(ctx, dir, filepath.Join(work, "shared"), false)
	if err != nil {
		return nil, err
	}
	kept := make(map[trace.SiteID]bool)
	for _, s := range shared.Sites {
		kept[s.ID] = true
	}
	t, err := record(ctx, binary, dir, filepath.Join(work, "trace"))
	if err != nil {
		return nil, err
	}
	t.AddSites(all.Sites)
	c := &comparison{sites: numbered(all.Sites), kept: numbered(shared.Sites)}
	for i := range t.Events {
		if e := &t.Events[i]; e.Site&trace.SiteRewritten != 0 {
			c.events++
			if !kept[e.Site] {
				c.quiet++
			}
		}
	}
	o, err := order.New(t)
	if err != nil {
		return nil, err
	}
	races := anomaly.FindRaces(t, o)
	c.candidates = len(races.Candidates)
	for _, r := range races.Candidates {
		sites := [2]trace.SiteID{t.Events[r.Pairs[0][0]].Site, t.Events[r.Pairs[0][1]].Site}
		for _, id := range sites {
			if id&trace.SiteRewritten != 0 && !kept[id] {
				c.lost = append(c.lost, fmt.Sprintf("%s: of the race of %s and %s", describe(t.Sites[id]), describe(t.Sites[sites[0]]), describe(t.Sites[sites[1]])))
			}
		}
	}
	slices.Sort(c.lost)
	c.lost = slices.Compact(c.lost)
	return c, nil
}

func describe(s trace.Site) string {
	return fmt.Sprintf("%s:%d:%d %s %s", filepath.Base(s.File), s.Line, s.Col, s.Op, s.Expr)
}

// numbered is the number of hooks among sites.
func numbered(sites []trace.Site) int {
	n := 0
	for _, s := range sites {
		if s.ID != 0 {
			n++
		}
	}
	return n
}

func prepare(ctx context.Context, dir, work string, all bool) (*recorder.Build, error) {
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, err
	}
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	return recorder.Prepare(ctx, &recorder.Config{
		Dir: dir, Env: env, Work: work, InstrumentAll: all, Stdout: io.Discard, Stderr: os.Stderr,
	})
}

// record runs a test binary. Memory is not used again, so that no two variables
// have the same address.
func record(ctx context.Context, binary, dir, file string) (*trace.Trace, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), predictrt.Mode{Trace: file}.Env(), "GOGC=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		if _, failed := err.(*exec.ExitError); !failed || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w\n%s", binary, err, out)
		}
		fmt.Fprintf(os.Stderr, "%s", out) // a failed test, which has a trace as well
	}
	return trace.ReadFile(file)
}
