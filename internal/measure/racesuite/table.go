package main

import (
	"fmt"
	"strings"
)

// best returns how far gopredict came with t: confirmed, predicted, or no, and
// why it is not confirmed.
func (t *test) best() (result, reason string) {
	result, reason = "no", t.broken
	if t.failed {
		reason = "the recorded run failed"
	}
	for _, f := range t.findings {
		switch f.Status {
		case "confirmed":
			return f.Status, ""
		case "unconfirmed":
			result, reason = "predicted", f.Reason
		}
	}
	return result, reason
}

// ok reports whether t came out as it must: races that -race finds are
// predicted, and what has none is not confirmed.
func (t *test) ok() bool {
	result, _ := t.best()
	if t.racy() {
		return result != "no" || !t.detected
	}
	return result != "confirmed"
}

func (s *suite) good() bool {
	for _, t := range s.tests {
		if t.skipped == "" && !t.ok() {
			return false
		}
	}
	return true
}

// A count sums up one of the two kinds of tests.
type count struct{ all, skipped, detected, predicted, confirmed, missed, unexplored int }

// table returns the page, in Markdown.
func (s *suite) table() string {
	var racy, clean count
	var rows strings.Builder
	for _, t := range s.tests {
		c := &clean
		if t.racy() {
			c = &racy
		}
		c.all++
		if t.skipped != "" {
			c.skipped++
			fmt.Fprintf(&rows, "| %s | %s | | | %s |\n", t.name, t.file, t.skipped)
			continue
		}
		if t.unexplored {
			c.unexplored++
		}
		result, reason := t.best()
		detected := "no"
		if t.detected {
			c.detected++
			detected = "race"
		}
		switch result {
		case "confirmed":
			c.confirmed++
			c.predicted++
		case "predicted":
			c.predicted++
		case "no":
			if t.detected {
				c.missed++
			}
		}
		if !t.ok() {
			result = "**" + result + "**"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", t.name, t.file, detected, result, cell(reason))
	}
	return fmt.Sprintf(page, s.version,
		racy.all, racy.skipped, racy.detected, racy.predicted, racy.confirmed, racy.missed,
		clean.all, clean.skipped, clean.detected, clean.predicted, clean.confirmed, clean.missed,
		s.pkgs, s.open(), rows.String(),
		racy.unexplored, clean.unexplored, s.took[off].Seconds(), s.took[""].Seconds())
}

// unreplayable tells of races of which no run has both goroutines at their
// accesses at once, though nothing in the Go memory model orders these.
var unreplayable = map[string]string{
	"TestRaceChanSendLen":             "the second write comes after len(c) has seen the send, and so after the first one",
	"TestRaceChanRecvLen":             "the second write comes after len(c) has seen the receive, and so after the first one",
	"TestRaceChanSendSend":            "a select takes its default only when the other goroutine has sent, after its write",
	"TestRaceBetweenCleanups":         "the runtime calls the second cleanup when the first one has returned",
	"TestRaceSynctestGoroutinesSleep": "the bubble's clock does not go on while a goroutine stands",
	"TestRaceSynctestTimers":          "the bubble's clock does not go on while a goroutine stands",
}

// open lists the races that are not confirmed and why they cannot be.
func (s *suite) open() string {
	var b strings.Builder
	for _, t := range s.tests {
		if result, _ := t.best(); t.racy() && result != "confirmed" && unreplayable[t.name] != "" {
			fmt.Fprintf(&b, "- %s: %s.\n", t.name, unreplayable[t.name])
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "No replay can confirm these: no run has both goroutines at their accesses at\nonce, though nothing in the Go memory model orders them.\n\n" + b.String() + "\n"
}

// cell makes text fit into a cell of the table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}

const page = `# The race detector's own suite

Go tests its race detector with a suite of small programs,
` + "`GOROOT/src/runtime/race/testdata`" + `: a ` + "`TestRace…`" + ` has a race, a
` + "`TestNoRace…`" + ` has none. This page is written by

    go run ./internal/measure/racesuite -o docs/measured/race-suite.md

which runs it with ` + "`go test -race`" + `, one P, and with gopredict, here with %s.

| tests | all | not run | -race reports | predicted | of these confirmed | -race only |
|---|---|---|---|---|---|---|
| TestRace… | %d | %d | %d | %d | %d | %d |
| TestNoRace… | %d | %d | %d | %d | %d | %d |

Predicted are tests with at least one race that a feasible schedule leads to,
confirmed are those where a replay stood at it. What came out as it must not is
in bold. Left out is TestNoRaceCgoSync, which runs another program. The suite itself
skips two tests (golang.org/issue/72925): TestRaceRangeFuncIterator, as its panic would
end the tests behind it, is run here, alone; TestNoRaceRangeFuncIterator, in which the
race detector reports a race, is not. Memory
accesses are those of ` + "`-predict.pkgs=%s`" + `: -race sees those of
all packages, and some tests race in these.

What tests do beyond their recordings ([Exploring](../command.md#exploring)) is part of that. Without it, by
` + "`-predict.explore=off`" + `, %[17]d of the TestRace… and %[18]d of the TestNoRace… are
confirmed, in %.0[19]f s of processor time; with it the suite takes %.0[20]f s. Both are with building,
of which the most was done before.

%[15]s| test | file | -race | gopredict | reason |
|---|---|---|---|---|
%s`
