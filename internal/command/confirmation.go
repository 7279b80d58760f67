package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A confirmation replays what was predicted for one package.
type confirmation struct {
	*prediction
	run      recorder.Run
	trace    *trace.Trace
	recorded replayer.Outcome // of the recorded run
	replayed int              // witnesses so far, for the status line
}

// A suspect is a finding of the analysis, and a witness of nothing but its
// violation, which gives it its name: unlike positions in the trace it stays
// the same when lines move. The steps can be many, and wait for the replay.
type suspect struct {
	analysis.Finding
	witness *witness.Witness
}

// confirm replays the committed witnesses, then the predicted bugs.
func (c *confirmation) confirm(ctx context.Context, result *analysis.Result) error {
	suspects, err := c.suspects(result)
	if err != nil {
		return err
	}
	gone, err := c.committed(ctx, suspects)
	if err != nil {
		return err
	}
	for _, s := range suspects {
		if err := c.suspect(ctx, s); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.failed = true
			c.warn("%s: %s: %v", c.run.Package.Path, s.witness.ID, err)
		}
	}
	for _, g := range gone {
		if !c.done[g.id] {
			c.warn("%s: %s", g.path, g.why)
		}
	}
	return nil
}

// suspects makes the witnesses of the findings that are not proven infeasible.
func (c *confirmation) suspects(result *analysis.Result) ([]suspect, error) {
	var out []suspect
	var used []string // ids
	for _, f := range result.Findings {
		if f.Status == analysis.Infeasible {
			continue
		}
		if len(f.Tests) == 0 {
			f.Schedules, f.Reason = nil, f.Note
			w := c.outside(f)
			w.ID = witness.Distinct(w.ID, used)
			used = append(used, w.ID)
			out = append(out, suspect{f, w})
			continue
		}
		sched := schedule.Schedule{Violation: f.Accesses[:]}
		if len(f.Schedules) > 0 {
			sched.Violation = f.Schedules[0].Violation[:]
		}
		w, err := c.witness(f.Kind, sched)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.run.Package.Path, err)
		}
		w.ID = witness.Distinct(w.ID, used)
		used = append(used, w.ID)
		out = append(out, suspect{f, w})
	}
	return out, nil
}

// scheduled makes the witness of one of the schedules of s.
func (c *confirmation) scheduled(s suspect, r schedule.Recipe) (*witness.Witness, error) {
	w, err := c.witness(s.Kind, r.Schedule())
	if err == nil {
		w.ID = s.witness.ID
	}
	return w, err
}

// code is what witnesses are matched with.
func (c *confirmation) code() replayer.Code {
	return replayer.Code{Sites: c.build.Sites, Root: c.root, Source: c.source}
}

// witness makes the witness of a schedule.
func (c *confirmation) witness(kind string, s schedule.Schedule) (*witness.Witness, error) {
	w, err := witness.FromSchedule(c.trace, s.Steps, s.Violation, s.Hold, c.root, witness.Meta{
		Kind: kind, Package: c.run.Package.Path, Source: c.source,
	})
	if err == nil {
		w.Run = replayer.SubtestFilter(c.run.Args)
	}
	return w, err
}

// outside makes a witness without steps for a finding outside of all tests,
// which nothing can replay; the report shows its accesses.
func (c *confirmation) outside(f analysis.Finding) *witness.Witness {
	w := &witness.Witness{
		ID:   witness.ID(c.trace, f.Kind, f.Accesses[:], c.source),
		Kind: f.Kind, Package: c.run.Package.Path,
	}
	for _, i := range f.Accesses {
		e := c.trace.Events[i]
		site := c.trace.Sites[e.Site]
		w.Violation = append(w.Violation, witness.Step{
			Goroutine: c.trace.Goroutines[e.G].Name(), Op: e.Kind, Func: site.Func,
			File: witness.Relative(c.root, site.File), Line: site.Line, Col: site.Col, Expr: site.Expr,
		})
	}
	return w
}

// suspect replays the schedules of s in turn until one is confirmed, and puts
// the finding into the report.
func (c *confirmation) suspect(ctx context.Context, s suspect) error {
	if c.done[s.witness.ID] {
		return nil
	}
	ev := c.evidence(s, s.witness)
	ev.Result = replayer.Result{Status: replayer.Unconfirmed, Reason: s.Reason}
	for i, recipe := range s.Schedules {
		w, err := c.scheduled(s, recipe)
		if err != nil {
			return err
		}
		if i == 0 {
			ev.Witness = w
		}
		before := ev.Result.Replays
		r, replayed, err := c.replay(ctx, w)
		if err != nil {
			return err
		}
		if r.Status == replayer.Confirmed {
			ev = c.evidence(s, w)
			ev.Violation = recipe.Violation[:]
			ev.Result, ev.Replayed, ev.Path = r, replayed, c.save(w)
			break
		}
		if i == 0 {
			ev.Result = r
		}
		ev.Result.Replays = before + r.Replays
	}
	c.tell(ev)
	return nil
}

// evidence returns what there is to say of s before a replay.
func (c *confirmation) evidence(s suspect, w *witness.Witness) report.Evidence {
	violation := s.Accesses[:]
	if len(s.Schedules) > 0 {
		violation = s.Schedules[0].Violation[:]
	}
	return report.Evidence{
		Witness: w, Tier: s.Tier, Trace: c.trace, Violation: violation,
		Root: c.root, Source: c.source.Line,
	}
}

func (c *confirmation) tell(ev report.Evidence) {
	f := report.NewFinding(ev)
	f.Reason = strings.ReplaceAll(f.Reason, c.root+string(filepath.Separator), "")
	if f.Status == report.Confirmed {
		c.done[f.ID] = true
	}
	c.report.Findings = append(c.report.Findings, f)
}

// replay replays w in both orders, and if that confirms it once more in the
// order that w keeps from then on, to record the values that are shown.
func (c *confirmation) replay(ctx context.Context, w *witness.Witness) (replayer.Result, *trace.Trace, error) {
	c.replayed++
	c.status.Set("replaying", fmt.Sprintf("%s, witness %d, %d confirmed", c.run.Package.Path, c.replayed, len(c.done)))
	bin := replayer.Binary{Path: c.run.Binary, Dir: c.run.Package.Dir, Args: c.run.Args, Env: c.run.Env}
	opts := replayer.Options{Timeout: c.opts.timeout, Recorded: c.recorded}
	r, err := replayer.Confirm(ctx, bin, w, c.code(), opts)
	if err != nil || r.Status != replayer.Confirmed {
		return r, nil, err
	}
	w.Order = r.Order
	opts.Trace = filepath.Join(c.work, "replay.trace")
	defer os.Remove(opts.Trace)
	again, err := replayer.Repeat(ctx, bin, w, c.code(), 1, opts)
	if err != nil {
		return r, nil, err
	}
	r.Replays += again.Replays
	r.Reproduced += again.Reproduced
	if again.Status != replayer.Confirmed {
		r.Status, r.Reason = again.Status, again.Reason
		return r, nil, nil
	}
	return r, readReplayed(opts.Trace, c.build), nil
}

// save writes a confirmed witness beside its test and returns the file,
// relative to the root; "" if it cannot be written.
func (c *confirmation) save(w *witness.Witness) string {
	file := filepath.Join(c.run.Package.Dir, c.opts.witnesses, w.Tests[0], w.ID)
	if err := w.Save(file); err != nil {
		c.failed = true
		c.warn("%v", err)
		return ""
	}
	return c.rel(file)
}

// tierWitness is the tier of a finding that only a committed witness shows.
const tierWitness = "witness"

// A goneWitness is a committed witness that does not reach its bug any more.
type goneWitness struct{ id, path, why string }

// committed replays the witnesses that lie beside the package's tests. Those
// that still reach their bug are findings.
func (c *confirmation) committed(ctx context.Context, suspects []suspect) ([]goneWitness, error) {
	files, err := filepath.Glob(filepath.Join(c.run.Package.Dir, c.opts.witnesses, "*", "[^.]*"))
	if err != nil {
		return nil, err
	}
	tests := make(map[string]bool)
	for _, g := range c.trace.Goroutines {
		tests[g.Test] = true
	}
	var gone []goneWitness
	for _, file := range files {
		w, err := witness.Load(file)
		if err != nil {
			c.failed = true
			c.warn("%v", err)
			continue
		}
		if !tests[w.Tests[0]] {
			if !c.build.FiltersTests() {
				gone = append(gone, goneWitness{w.ID, c.rel(file), "stale: there is no test " + w.Tests[0]})
			}
			continue
		}
		if p := c.unrecorded(w); p != "" {
			gone = append(gone, goneWitness{w.ID, c.rel(file), fmt.Sprintf("not replayed: accesses in %s are not recorded; -%spkgs=work,%s does that", p, prefix, p)})
			continue
		}
		r, replayed, err := c.replay(ctx, w)
		switch {
		case errors.Is(err, replayer.ErrStale):
			gone = append(gone, goneWitness{w.ID, c.rel(file), err.Error()})
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			c.failed = true
			c.warn("%s: %v", c.rel(file), err)
		case r.Status != replayer.Confirmed && len(r.Stale) > 0:
			gone = append(gone, goneWitness{w.ID, c.rel(file), staleText(r)})
		case r.Status != replayer.Confirmed:
			gone = append(gone, goneWitness{w.ID, c.rel(file), "the bug is gone, or not reached any more: " + r.Reason})
		default:
			ev := report.Evidence{Witness: w, Tier: tierWitness, Root: c.root, Source: c.source.Line}
			for _, s := range suspects {
				if s.witness.ID == w.ID {
					ev = c.evidence(s, w)
				}
			}
			ev.Result, ev.Replayed, ev.Path = r, replayed, c.rel(file)
			c.tell(ev)
		}
	}
	return gone, nil
}

// unrecorded returns a package that the witness needs to be instrumented and
// that lies outside of those that were; "" if there is none.
func (c *confirmation) unrecorded(w *witness.Witness) string {
	for _, p := range instrumentFor(nil, w)[1:] {
		if c.build.LeftOut(p) {
			return p
		}
	}
	return ""
}
