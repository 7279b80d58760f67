package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// answerCannotTell prints that it is not known whether the bug is there, and why, and returns the exit
// code. The reason begins with the punctuation before it.
func (r *replayRun) answerCannotTell(format string, args ...any) int {
	r.status.Clear()
	why := fmt.Sprintf(format, args...)
	r.answerf("%s: unconfirmed%s", r.witness.ID, why)
	r.noteState(bug.SavedEvidence{}.Status(), strings.TrimLeft(why, ":, "))
	return exitNoAnswer
}

// noteState adds the outcome of the witness to the report.
func (r *replayRun) noteState(status bug.Status, reason string) {
	r.report.Witnesses = append(r.report.Witnesses, report.WitnessState{Witness: r.witnessName(), ID: r.witness.ID, Status: status, Reason: reason})
}

// answerThere prints and notes that the bug of the witness is there, at the places of the witness
// now.
func (r *replayRun) answerThere(f report.Finding, now *witness.Witness, reason string) {
	opts := textOptions(r.stdout, r.module)
	opts.AllSteps = r.arguments.verbose
	report.WriteFinding(r.stdout, &f, opts)
	f.Witness, f.FailsRun = r.witnessName(), true
	r.report.Findings = append(r.report.Findings, f)
	if where := describeMove(r.witness, now); where != "" {
		r.answerf("%s: moved %s", r.witness.ID, where)
		reason = explore.JoinReasons(reason, "moved "+where)
	}
	r.noteState(f.Status, reason)
}

// describeMove says from where to where a bug moved, from the places of witness w to those of now: "from
// bank.go:31 and bank.go:40 to bank.go:33 and bank.go:42"; "" if it did not move.
func describeMove(w, now *witness.Witness) string {
	places := func(w *witness.Witness) string {
		steps := slices.Clone(w.Violation)
		slices.SortFunc(steps, func(a, b witness.Step) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
		var out []string
		for _, v := range steps {
			out = append(out, fmt.Sprintf("%s:%d", v.File, v.Line))
		}
		return strings.Join(slices.Compact(out), " and ")
	}
	if from, to := places(w), places(now); from != to {
		return fmt.Sprintf("from %s to %s", from, to)
	}
	return ""
}

// witnessName returns the name of the witness in reports, and notes the Go release that replays it.
func (r *replayRun) witnessName() string {
	r.report.Go = r.module.GOVERSION
	if rel, err := filepath.Rel(r.module.Root(), r.witnessFile); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return r.witnessFile
}

// answerRecheck prints the answer for a witness whose schedule the program left, and returns the exit
// code. If another schedule leads to the bug, the bug is there. The file of the witness stays as it
// is, so the next replay of it repeats the search.
func (r *replayRun) answerRecheck(ev evidence.Evidence, again explore.Recheck) int {
	result, id := ev.Result, ev.Witness.ID
	why := explore.ReasonOf(result)
	if status := again.Status; status != bug.Confirmed {
		why = again.ReasonAfter(why)
		r.answerf("%s: %s, reached in 0 of %d replays: %s", id, status, result.Replays, why)
		r.noteState(status, why)
		if status == bug.Fixed {
			return exitOK
		}
		return exitNoAnswer
	}
	r.answerf("%s: the program has left the schedule, and comes to the bug by another: %s", id, why)
	f := again.Found.Finding
	f.Witness = ev.Path
	r.answerThere(f, again.Found.WitnessToSave, "by another schedule")
	r.answerf("%s: reached in %d of %d replays, by another schedule", id, f.Reproduced, f.Replays)
	return exitBug
}

// describeStop prints where the program has stopped, and how to look at it with a debugger. All
// goroutines of the violation are about to execute their accesses. No breakpoint could bring that
// about, since each would stop the other goroutines anywhere.
func (s *session) describeStop(a replayArgs, w *witness.Witness, pid int, stands []replayer.PendingAccess) {
	s.answerf("%s: stands at the bug in process %d, for %v (Ctrl-C ends it)", w.ID, pid, a.holdTime)
	for _, at := range stands {
		s.answerf("  %s", describePendingAccess(at, w))
	}
	fmt.Fprintf(s.stdout, "To look at it, type\n\n\tdlv attach %d\n\nand there \"goroutines -t\" and \"goroutine N frame K\"; with -gcflags=all=-N\\ -l all variables are there.\n", pid)
}

// describePendingAccess says what a stopped goroutine of the violation of w will do next: "goroutine 0.1 is about to
// write a.balance = 90 at bank.go:12 (8 bytes at 0xc0…)". The address is for a watchpoint.
func describePendingAccess(at replayer.PendingAccess, w *witness.Witness) string {
	i := slices.IndexFunc(w.Violation, func(v witness.Step) bool { return v.Goroutine == at.Goroutine && v.Op == at.Op })
	step, place := report.Step{Op: at.Op.String(), Value: at.Value}, ""
	if i >= 0 {
		v := w.Violation[i]
		step.Expr = v.Expr
		place = fmt.Sprintf(" at %s:%d", filepath.Base(v.File), v.Line)
	}
	return fmt.Sprintf("%s is about to %s%s (%d bytes at %#x)", witness.ReadableGoroutines(at.Goroutine, w.Tests), step, place, at.Size, at.Addr)
}

// answerReplay prints what the replays showed, and returns the exit code. The bug is there if one of
// them reached it. How many did shows how reliable the witness is.
func (r *replayRun) answerReplay(ev evidence.Evidence) int {
	result, id := ev.Result, ev.Witness.ID
	if result.Reproduced > 0 {
		for _, note := range result.Notes {
			r.warnf("%s: %s", id, note)
		}
	}
	if r.arguments.verbose && len(result.Verdicts) > 0 {
		fmt.Fprint(r.stdout, result.Verdicts[0].Output)
	}
	if result.Reproduced == 0 {
		why := explore.ReasonOf(result)
		status := result.SavedEvidence().Status()
		r.answerf("%s: %s, reached in 0 of %d replays: %s", id, status, result.Replays, why)
		r.noteState(status, why)
		return exitNoAnswer
	}
	r.answerThere(evidence.NewFinding(ev), result.Witness, "")
	r.answerf("%s: reached in %d of %d replays", id, result.Reproduced, result.Replays)
	for _, m := range countUnreached(result.Verdicts) {
		r.answerf("%s: not reached in %d: %s", id, m.count, m.reason)
	}
	return exitBug
}

// A unreachedCount is a reason for which replays did not reach the bug, and how many.
type unreachedCount struct {
	reason string
	count  int
}

// countUnreached counts the reasons of the replays that did not reach the bug, in their first order.
func countUnreached(verdicts []replayer.Verdict) []unreachedCount {
	var out []unreachedCount
	for _, v := range verdicts {
		if v.Status == bug.Confirmed {
			continue
		}
		i := slices.IndexFunc(out, func(m unreachedCount) bool { return m.reason == v.Reason })
		if i < 0 {
			i = len(out)
			out = append(out, unreachedCount{reason: v.Reason})
		}
		out[i].count++
	}
	return out
}
