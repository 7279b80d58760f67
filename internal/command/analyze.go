package command

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// runAnalyze predicts from a trace file, and prints the findings. It replays nothing, as traces of
// other tools have no program to run. So nothing is confirmed, and the exit code is 0 whatever is
// predicted: a prediction alone fails no run.
//
// With -events it counts the events that race with an earlier one, as analysers of traces of other
// languages do.
func (s *session) runAnalyze(ctx context.Context, args []string) (int, error) {
	isEvents := func(arg string) bool { return arg == "-events" || arg == "--events" }
	byEvents := slices.ContainsFunc(args, isEvents)
	args = slices.DeleteFunc(slices.Clone(args), isEvents)
	opts, args, err := s.analyzeOptions(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) != 1 {
		return exitUsage, usagef("analyze takes one trace file, found %d arguments", len(args))
	}
	explore.LimitHeapGrowth()
	t, damage := s.readTrace(args[0], func(file string) (*trace.Trace, error) {
		if byEvents {
			return trace.ReadFile(file)
		}
		return recording.ReadRun(file, nil)
	})
	if t == nil {
		return exitFailed, damage
	}
	if err := trace.Validate(t); err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	if byEvents {
		return s.racyEvents(ctx, args[0], t, opts, damage)
	}
	t.NoteHiddenState()
	reduce.Gather(t)
	result, err := finding.Predict(ctx, t, opts.analysisOptions())
	if err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	predicted, impossible, err := finding.ReportPredictions(ctx, t, result, s.dir)
	if err != nil {
		return exitFailed, err
	}
	// Infeasible findings are printed, too: whoever analyzes a single trace wants to know why
	// something that looks like a bug is none.
	undecided := 0
	for i, f := range slices.Concat(predicted, impossible) {
		if i < len(predicted) && f.Undecided {
			undecided++
		}
		if err := report.WriteFinding(s.stdout, &f, textOptions(s.stdout, gotool.Env{})); err != nil {
			return exitFailed, err
		}
	}
	counts := fmt.Sprint(len(predicted)-undecided, " predicted")
	if undecided > 0 {
		counts += fmt.Sprintf(", %d undecided", undecided)
	}
	fmt.Fprintf(s.stdout, "gopredict: %s, %d infeasible, %d pruned of %d candidates in %d events\n",
		counts, len(impossible), result.Pruned(), result.Candidates, t.LoggedEvents())
	if result.Truncated {
		fmt.Fprintln(s.stdout, "gopredict: "+finding.TruncatedWarning)
	}
	if result.TooLong {
		fmt.Fprintln(s.stdout, "gopredict: "+finding.TooLongWarning)
	}
	// The whole part of a damaged trace is analyzed all the same; the error comes last.
	return exitOK, damage
}

// racyEvents prints the events of t that race with earlier ones. Name is that of the trace's file.
func (s *session) racyEvents(ctx context.Context, name string, t *trace.Trace, opts options, damage error) (int, error) {
	r, err := finding.RacyEvents(ctx, t, opts.analysisOptions())
	if err != nil {
		return exitFailed, fmt.Errorf("%s: %w", name, err)
	}
	event := func(i int) string {
		e := &t.Events[i]
		site := t.Sites[e.Site]
		return fmt.Sprintf("event %d: %s by %s at %s:%d", i+1, e.Kind, t.Goroutines[e.G].Name(), site.File, site.Line)
	}
	w := bufio.NewWriter(s.stdout)
	places := make(map[trace.SiteID]bool)
	for _, e := range r.Events {
		places[t.Events[e.Event].Site] = true
		schedule := e.Recipe.Schedule()
		fmt.Fprintf(w, "%s, races with %s (%s, %d steps from event %d on)\n",
			event(e.Event), event(e.Earlier), e.Recipe.Tier(), len(schedule.Steps), schedule.From+1)
	}
	fmt.Fprintf(w, "gopredict: racy events: %d, places: %d, conflicts that cannot race: %d, undecided: %d, events: %d\n",
		len(r.Events), len(places), r.Infeasible, r.Undecided, len(t.Events))
	if err := w.Flush(); err != nil {
		return exitFailed, err
	}
	return exitOK, damage
}

// analyzeOptions reads the options that say what to look for. The others are about runs and replays:
// to accept them here without an effect would mislead.
func (s *session) analyzeOptions(args []string) (o options, rest []string, err error) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name, ok := strings.CutPrefix(name, prefix); strings.HasPrefix(arg, "-") && (!ok || !isAnalyzeOption(name)) {
			return o, nil, usagef("analyze takes -predict.%s, found %s", strings.Join(analyzeOptionNames, ", -predict."), arg)
		}
	}
	return parseOptions(s.env, args)
}
