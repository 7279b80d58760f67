package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// analyze predicts from a trace file, and prints what it finds: races, and
// other patterns. Nothing is replayed, so that nothing is confirmed.
func (s *session) analyze(ctx context.Context, args []string) (int, error) {
	patterns, args, err := s.analyzeFlags(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) != 1 {
		return exitUsage, usagef("analyze takes one trace file, found %d arguments", len(args))
	}
	t, damage := s.readTrace(args[0])
	if t == nil {
		return exitFailed, damage
	}
	if err := trace.Validate(t); err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	result, err := analysis.Predict(ctx, t, analysis.Options{})
	if err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	c := &confirmation{
		prediction: &prediction{root: s.dir, files: witness.Files{Root: s.dir}, source: new(witness.Sources)},
		trace:      t,
	}
	suspects, err := c.suspects(result)
	if err != nil {
		return exitFailed, err
	}
	for _, suspect := range suspects {
		ev := c.evidence(suspect, suspect.witness)
		ev.Result = replayer.Result{Status: replayer.Unconfirmed, Reason: witness.Prose(suspect.Reason, suspect.Tests)}
		if len(suspect.Schedules) > 0 {
			if ev.Witness, err = c.scheduled(suspect, suspect.Schedules[0], false); err != nil {
				return exitFailed, err
			}
			ev.Result.Reason = "not replayed"
		}
		f := report.NewFinding(ev)
		if err := report.WriteFinding(s.stdout, &f, textOptions(s.stdout, gotool.Env{})); err != nil {
			return exitFailed, err
		}
	}
	infeasible := len(result.Findings) - len(suspects)
	fmt.Fprintf(s.stdout, "gopredict: %d predicted, %d infeasible of %d candidates in %d events\n",
		len(suspects), infeasible, result.Candidates, len(t.Events))
	if err := s.analyzePatterns(ctx, t, append(anomaly.Builtin(), patterns...)); err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	return exitOK, damage
}

// analyzeFlags reads the patterns that -predict.patterns=FILE names.
func (s *session) analyzeFlags(args []string) (patterns []anomaly.Pattern, rest []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, file, hasFile := strings.Cut(arg, "=")
		switch {
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
			continue
		case name != "-predict.patterns" && name != "--predict.patterns":
			return nil, nil, usagef("analyze takes -predict.patterns=FILE, found %s", arg)
		case !hasFile && len(args) == 0:
			return nil, nil, usagef("-predict.patterns needs a file")
		case !hasFile:
			file, args = args[0], args[1:]
		}
		text, err := os.ReadFile(s.path(file))
		if err != nil {
			return nil, nil, usagef("-predict.patterns: %v", err)
		}
		ps, err := anomaly.ParsePatterns(file, string(text))
		if err != nil {
			return nil, nil, usagef("-predict.patterns: %v", err)
		}
		patterns = append(patterns, ps...)
	}
	return patterns, rest, nil
}

// analyzePatterns prints the patterns beyond races that the events match.
func (s *session) analyzePatterns(ctx context.Context, t *trace.Trace, patterns []anomaly.Pattern) error {
	r, err := analysis.MatchPatterns(ctx, t, patterns)
	if err != nil {
		return err
	}
	counts := make(map[analysis.Status]int)
	for _, m := range r.Found {
		if counts[m.Status]++; m.Status == analysis.Infeasible {
			continue
		}
		reason := "not replayed"
		if m.Reason != "" {
			reason = m.Reason
		}
		fmt.Fprintf(s.stdout, "\n%s %s, %s: %s\n", strings.ToUpper(m.Pattern.Kind()), m.Pattern.Name, m.Status, reason)
		for _, i := range m.Events {
			fmt.Fprintf(s.stdout, "  %s\n", s.access(t, i))
		}
	}
	fmt.Fprintf(s.stdout, "gopredict: patterns: %d predicted, %d undecided, %d infeasible; %d excluded by locks, %d by what must come first\n",
		counts[analysis.Predicted], counts[analysis.Undecided], counts[analysis.Infeasible], r.Locked, r.Ordered)
	if r.Cut {
		fmt.Fprintln(s.stdout, "gopredict: patterns: the search ended early, as there are too many ways to choose events")
	}
	return nil
}

// access describes event i for people.
func (s *session) access(t *trace.Trace, i int) string {
	e := &t.Events[i]
	site := t.Sites[e.Site]
	what := e.Kind.String()
	if site.Expr != "" {
		what += " " + site.Expr
	}
	where := fmt.Sprintf("location %d", site.Line)
	if site.File != "" {
		file := site.File
		if rel, err := filepath.Rel(s.dir, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		where = fmt.Sprintf("%s:%d", file, site.Line)
	}
	return fmt.Sprintf("%-8s %s at %s", t.Goroutines[e.G].Name(), what, where)
}
