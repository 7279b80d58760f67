package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// analyze predicts from a trace file, and prints what it finds. Nothing is
// replayed, so that nothing is confirmed.
func (s *session) analyze(ctx context.Context, args []string) (int, error) {
	opts, args, err := s.analyzeOptions(args)
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
	result, err := predict(ctx, t, opts.analysis())
	if err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	c := &confirmation{
		prediction: &prediction{root: s.dir, files: witness.Files{Root: s.dir}, source: new(witness.Sources)},
		trace:      t, tally: newTally(),
	}
	suspects, impossible, err := c.suspects(result)
	if err != nil {
		return exitFailed, err
	}
	suspects = oneEach(suspects)
	undecided := 0
	for _, suspect := range suspects {
		ev := c.evidence(suspect, suspect.witness)
		ev.Result = replayer.Result{Status: bug.Unconfirmed, Reason: witness.Prose(suspect.Reason, suspect.Tests)}
		if len(suspect.Schedules) > 0 {
			recipe := suspect.Schedules[0]
			if ev.Witness, err = c.scheduled(attempt{suspect, recipe, recipe.Schedule()}, witness.Small); err != nil {
				return exitFailed, err
			}
			ev.Result.Reason = "not replayed"
		}
		if ev.Undecided {
			undecided++
		}
		f := report.NewFinding(ev)
		if err := report.WriteFinding(s.stdout, &f, textOptions(s.stdout, gotool.Env{})); err != nil {
			return exitFailed, err
		}
	}
	for _, suspect := range impossible {
		f := report.NewFinding(c.ruledOut(suspect))
		if err := report.WriteFinding(s.stdout, &f, textOptions(s.stdout, gotool.Env{})); err != nil {
			return exitFailed, err
		}
	}
	predicted := fmt.Sprint(len(suspects)-undecided, " predicted")
	if undecided > 0 {
		predicted += fmt.Sprintf(", %d undecided", undecided)
	}
	fmt.Fprintf(s.stdout, "gopredict: %s, %d infeasible, %d pruned of %d candidates in %d events\n",
		predicted, len(impossible), result.Pruned(), result.Candidates, len(t.Events))
	if result.Cut {
		fmt.Fprintln(s.stdout, "gopredict: "+cutSearch)
	}
	if result.TooLong {
		fmt.Fprintln(s.stdout, "gopredict: "+tooLong)
	}
	return exitOK, damage
}

// oneEach returns of the suspects of each bug one, which has schedules if any has.
func oneEach(suspects []suspect) []suspect {
	var out []suspect
	of := make(map[string]int)
	for _, s := range suspects {
		sites := sitesOf(s.witness)
		switch k, again := of[sites]; {
		case !again:
			of[sites] = len(out)
			out = append(out, s)
		case len(out[k].Schedules) == 0 && len(s.Schedules) > 0:
			out[k] = s
		}
	}
	return out
}

// analyzeOptions reads those options that say what to look for.
func (s *session) analyzeOptions(args []string) (o options, rest []string, err error) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name, ok := strings.CutPrefix(name, prefix); strings.HasPrefix(arg, "-") && (!ok || !forAnalyze(name)) {
			return o, nil, usagef("analyze takes -predict.%s, found %s", strings.Join(analyzed, ", -predict."), arg)
		}
	}
	return parseOptions(s.env, args)
}
