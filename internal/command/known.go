package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/known"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
)

// A knownBugs is what is known of bugs before the run.
type knownBugs struct {
	baseline *known.Baseline // nil: none
	changes  *known.Changes  // nil: all lines count as changed
}

// readKnownBugs reads the baseline and the changes that the options name. It is called before the tests
// run, so that a mistake in a file is reported at once, and files that tests write do not count as
// changed.
func (t *testRun) readKnownBugs(ctx context.Context) (g knownBugs, err error) {
	o := &t.options
	if o.baseline != "" {
		if g.baseline, err = known.ReadBaseline(o.baseline, t.absolutePath(o.baseline)); err != nil {
			return g, fmt.Errorf("-%sbaseline: %w", prefix, err)
		}
	}
	if o.newFrom != "" {
		if g.changes, err = known.ReadChanges(ctx, t.env.Root(), o.newFrom); err != nil {
			return g, usagef("-%snew-from=%v", prefix, err)
		}
	}
	return g, nil
}

// looksForAllBugs reports whether the run looked for all bugs that comments and a baseline can name. It did
// not if tests were left out, or if a package was not built, or failed: then its other tests may not
// have run.
func (t *testRun) looksForAllBugs(r *report.Report) bool {
	for _, flag := range []string{"run", "skip", "short"} {
		if t.args.IsSet(flag) {
			return false
		}
	}
	return len(t.options.kinds) == 0 && len(r.Incomplete) == 0 && !slices.ContainsFunc(r.Packages, func(p report.Package) bool {
		return p.Result != string(recorder.Pass) && p.Result != string(recorder.NoTests)
	})
}

// suppress suppresses the findings that are known. If the run is whole it warns of comments and
// entries of the baseline that match no finding any more.
func (t *testRun) suppress(g knownBugs, r *report.Report, build *recorder.Build) error {
	var folders []string
	for _, pkg := range build.Tested {
		folders = append(folders, pkg.Dir)
	}
	comments := known.ReadComments(folders, explore.Files(t.env).Name)
	comments.Mark(r)
	warnings, whole := comments.Malformed, t.looksForAllBugs(r)
	if whole {
		warnings = append(warnings, comments.Unused()...)
	}
	if name := t.options.baselineWrite; name != "" {
		var err error
		if g.baseline, err = known.UpdateBaseline(name, t.absolutePath(name), r, whole); err != nil {
			return fmt.Errorf("-%sbaseline-write: %w", prefix, err)
		}
	}
	if g.baseline != nil {
		g.baseline.Mark(r)
		if whole {
			warnings = append(warnings, g.baseline.UnconfirmedWarnings(r)...)
		}
	}
	if g.changes != nil {
		g.changes.Mark(r)
	}
	r.Warnings = append(r.Warnings, warnings...)
	return nil
}
