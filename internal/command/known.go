package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/known"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
)

// A gate is what a run knows of bugs before it has found any.
type gate struct {
	options  *options
	baseline *known.Baseline // nil: none
	changes  *known.Changes  // nil: all lines count as changed
}

// gate reads what the options name. That is done before the tests run, so that a mistake in
// a file is told at once, and so that what tests write does not count as changed.
func (s *session) gate(ctx context.Context, o *options, root string) (g gate, err error) {
	g.options = o
	if o.baseline != "" {
		if g.baseline, err = known.ReadBaseline(o.baseline, s.path(o.baseline)); err != nil {
			return g, fmt.Errorf("-%sbaseline: %w", prefix, err)
		}
	}
	if o.newFrom != "" {
		if g.changes, err = known.ReadChanges(ctx, root, o.newFrom); err != nil {
			return g, usagef("-%snew-from=%v", prefix, err)
		}
	}
	return g, nil
}

// suppress marks the findings that are known. Folders are those of the tested packages.
// That a comment or an entry of the baseline is of no use any more is told if the run has
// looked for all that they can be about: it does not if tests were left out, or a package was not
// built or failed, after which tests may not have run.
func (s *session) suppress(g gate, r *report.Report, env gotool.Env, folders []string, args gotool.TestArgs) error {
	comments := known.ReadComments(folders, explore.Files(env).Name)
	comments.Mark(r)
	warnings := comments.Bad
	whole := len(g.options.kinds) == 0 && len(r.Incomplete) == 0 && !args.IsSet("run") && !args.IsSet("skip") && !args.IsSet("short") &&
		!slices.ContainsFunc(r.Packages, func(p report.Package) bool {
			return p.Result != string(recorder.Pass) && p.Result != string(recorder.NoTests)
		})
	if whole {
		warnings = append(warnings, comments.Unused()...)
	}
	if g.options.baselineWrite != "" {
		name := s.path(g.options.baselineWrite)
		var before *known.Baseline
		var err error
		if info, none := os.Stat(name); none == nil && info.Size() > 0 {
			before, err = known.ReadBaseline(g.options.baselineWrite, name)
		}
		var b bytes.Buffer
		if err == nil {
			err = known.WriteBaseline(&b, r, before, whole)
		}
		if err == nil {
			err = os.WriteFile(name, b.Bytes(), 0o666)
		}
		if err == nil {
			g.baseline, err = known.ReadBaseline(g.options.baselineWrite, name)
		}
		if err != nil {
			return fmt.Errorf("-%sbaseline-write: %w", prefix, err)
		}
	}
	if g.baseline != nil {
		g.baseline.Mark(r)
		if whole {
			warnings = append(warnings, g.baseline.Gone(r)...)
		}
	}
	if g.changes != nil {
		g.changes.Mark(r)
	}
	r.Warnings = append(r.Warnings, warnings...)
	return nil
}
