package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// tierWitness is the tier of a finding that only a committed witness shows.
const tierWitness = "witness"

// witnesses returns the files of the witnesses that lie beside the package's tests, or in the folder for those of
// all packages: there the folders of packages below this one's are beside those of its tests.
func (c *confirmation) witnesses() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(c.witnessFolder().path(), "*", "[^.]*"))
	if filepath.IsAbs(c.opts.Witnesses) {
		files = slices.DeleteFunc(files, func(file string) bool {
			info, err := os.Stat(file)
			return err == nil && info.IsDir()
		})
	}
	return files, err
}

// committed replays the witnesses in files, which lay beside the package's tests, and puts
// into the report what has become of each. Tests are those that were recorded. Those that still reach their bug are
// findings, one for each set of places.
func (c *confirmation) committed(ctx context.Context, files []string, findings []finding, tests []string) error {
	type came struct {
		to report.WitnessState
		ev *evidence.Evidence // if it was replayed
		w  *witness.Witness
	}
	all := make([]came, len(files))
	c.total.Store(int32(len(files)))
	each(c.workers, len(files), func(i int) {
		w, err := witness.Load(files[i])
		if err == nil {
			all[i].w = w
			all[i].to, all[i].ev, err = c.recall(ctx, w, tests)
		}
		if err != nil {
			all[i].to = report.WitnessState{Status: bug.Damaged, Reason: err.Error()}
		}
		all[i].to.Witness = c.rel(files[i])
	})
	if context.Cause(ctx) == context.Canceled {
		return ctx.Err()
	}
	// Three ends: it is a finding, as it has reached its bug; it waits, as it has not,
	// for what predicting finds at its places (renew, settle); or it could not be asked.
	for _, a := range all {
		if a.to.Status == "" { // it is of a test that was not run
			continue
		}
		if a.to.Status == bug.Damaged {
			c.Failed = true
		} else {
			c.tally.taken = append(c.tally.taken, c.path(a.to.Witness))
		}
		c.Report.Witnesses = append(c.Report.Witnesses, a.to)
		if a.ev != nil && a.ev.Result.Status != bug.Confirmed {
			c.tally.unreached = append(c.tally.unreached, unreached{a.ev, c.path(a.to.Witness), len(c.Report.Witnesses) - 1})
			continue
		}
		if a.ev == nil || c.done[sitesOf(a.ev.Result.Witness)] {
			continue
		}
		a.ev.Tier = tierOf(a.ev.Result.Witness, a.w.ID, findings)
		a.ev.Path = a.to.Witness
		c.tell(c.reported(*a.ev))
	}
	return nil
}

// tierOf returns the tier that has decided about the bug that w shows, [tierWitness] if
// none has in the first recording of this run. Of several predictions at w's places
// that of the given id counts, else the first.
func tierOf(w *witness.Witness, id string, findings []finding) string {
	tier := tierWitness
	for _, f := range findings {
		its := f.Tier
		if its == "" && len(f.Departures) > 0 {
			its = tierDeparture
		}
		if its != "" && sitesOf(f.witness) == sitesOf(w) && (tier == tierWitness || f.witness.ID == id) {
			tier = its
		}
	}
	return tier
}

// recall replays a committed witness. The state's status is "" if it is of a
// test that this run does not select.
func (c *confirmation) recall(ctx context.Context, w *witness.Witness, tests []string) (report.WitnessState, *evidence.Evidence, error) {
	state := report.WitnessState{ID: w.ID}
	switch p := c.unrecorded(w); {
	case !slices.Contains(tests, w.Tests[0]) && c.build.FiltersTests():
		return state, nil, nil
	case !slices.Contains(tests, w.Tests[0]) && !c.trace.Complete:
		state.Status, state.Reason = bug.NotReplayed, "recording ended before "+w.Tests[0]
		return state, nil, nil
	case !slices.Contains(tests, w.Tests[0]):
		state.Status, state.Reason = bug.Stale, "there is no test "+w.Tests[0]
		return state, nil, nil
	case w.Methods && !c.opts.Methods:
		state.Status, state.Reason = bug.NotReplayed, "it takes methods for atomic regions; -predict.atomic=methods does that"
		return state, nil, nil
	case p != "":
		state.Status, state.Reason = bug.NotReplayed, fmt.Sprintf("accesses in %s are not recorded; -predict.pkgs=work,%s does that", p, p)
		return state, nil, nil
	}
	r, replayed, err := c.replayWithin(ctx, w, replayer.ArgsFor(w, c.run.Args), false, astray(c.took(c.run, w.Tests)))
	if ctx.Err() != nil {
		state.Status, state.Reason = bug.NotReplayed, context.Cause(ctx).Error()
		return state, nil, nil
	}
	if err != nil {
		return state, nil, err
	}
	state.Status, state.Reason = r.OfWitness(), Why(r)
	if r.Status == bug.Confirmed {
		c.confirmed.Add(1)
	}
	return state, &evidence.Evidence{
		Witness: w, Result: r, Replayed: replayed, Tier: tierWitness, Files: c.files, Source: c.source.Line,
	}, nil
}

// An unreached witness is a committed one that was replayed without reaching its bug.
type unreached struct {
	*evidence.Evidence
	file  string // absolute
	state int    // its index in report.Report.Witnesses
}

// A saved is the file of a witness, and its ID.
type saved struct{ test, file, id string }

// renew looks for the committed witnesses of the confirmed bug f that have not reached
// it, or of which places are gone. The file of one of the same test is that of f.
func (c *confirmation) renew(f *reported) {
	for i := range c.tally.unreached {
		m := &c.tally.unreached[i]
		state := &c.Report.Witnesses[m.state]
		p := c.placesOf(m.Result.Witness)
		p.gone, p.came = m.Result.Gone, slices.Repeat([]bool{true}, len(p.came))
		moved := len(p.gone) > 0 && state.Status != bug.Confirmed && p.alike(f.witness)
		if sitesOf(m.Result.Witness) != f.confirmed && !moved {
			continue
		}
		if m.Witness.Tests[0] == f.witness.Tests[0] && c.tally.saved[f.confirmed].test != f.witness.Tests[0] {
			c.tally.saved[f.confirmed] = saved{m.Witness.Tests[0], m.file, m.Witness.ID}
		}
		state.Status, state.Reason = bug.Confirmed, "by another schedule"
	}
}

// settle says of the committed witnesses whose schedules the program has left, and
// which no finding has renewed, what has become of their bugs.
func (c *confirmation) settle(ctx, limit context.Context) error {
	for _, m := range c.tally.unreached {
		state := &c.Report.Witnesses[m.state]
		if state.Status == bug.Confirmed || !Strays(m.Result) {
			continue
		}
		r, err := c.recheck(limit, m.Witness, m.Result, c.placesOf(m.Result.Witness))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case limit.Err() != nil:
			state.Status, state.Reason = bug.NotReplayed, context.Cause(limit).Error()
			continue
		case err != nil:
			c.trouble(m.Witness.ID, err)
			state.Status, state.Reason = bug.Unconfirmed, "cannot tell whether it is fixed: "+err.Error()
			continue
		}
		if r.Status == bug.Unconfirmed && state.Status == bug.Stale {
			state.Reason = Both(state.Reason, r.Reason)
			continue
		}
		if r.Status != bug.Confirmed {
			state.Status, state.Reason = r.Status, Both(r.Reason, state.Reason)
			continue
		}
		c.keep(r.found)
	}
	return nil
}

// Both joins two reasons.
func Both(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }

// Why says why replays did not reach their bug: first of all what of the witness
// no longer fits. Last is how the test failed, if it did so all the same.
func Why(r replayer.Result) string {
	parts := slices.Clone(r.Stale)
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	for _, v := range r.Verdicts {
		if v.Outcome.Effect != bug.NoEffect && r.Status != bug.Confirmed {
			words := []string{"in this order the test still fails:"}
			for _, l := range v.Outcome.Detail {
				words = append(words, strings.TrimSpace(l))
			}
			parts = append(parts, strings.TrimSuffix(strings.Join(words, " "), ":"))
			break
		}
	}
	return strings.Join(parts, "; ")
}

// unrecorded returns a package that the witness needs to be instrumented and
// that lies outside of those that were; "" if there is none.
func (c *confirmation) unrecorded(w *witness.Witness) string {
	for _, p := range Instrument(nil, w)[1:] {
		if c.build.LeftOut(p) {
			return p
		}
	}
	return ""
}
