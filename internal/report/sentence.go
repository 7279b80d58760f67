package report

import (
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// Advice returns what users can do about a finding that was not confirmed.
func (f *Finding) Advice() string {
	switch {
	case f.Undecided:
		return "-predict.explore=10m runs the test on, each time so that it goes another way, and may come to it."
	case f.Test == "":
		return "only tests can be run again; a test that does this by itself can be."
	case f.Replays == 0:
		return "gopredict test replays as much as the budget of the test allows; -predict.runs=7 has no such bound."
	case f.Reproduced > 0:
		return "where the test depends on chance, on the clock or on other processes, take that out (docs/determinism.md), and run gopredict test again."
	}
	return "look at the places yourself; and where the test depends on chance, on the clock or on other processes, which may have led elsewhere, take that out (docs/determinism.md)."
}

// Title returns the heading of the finding: "DATA RACE".
func (f *Finding) Title() string { return f.Kind.Title(len(f.Accesses)) }

// proof returns what a replay must show to confirm the finding.
func (f *Finding) proof() bug.Proof { return f.Kind.ProofOf(len(f.Accesses)) }

// describedAccesses says of each access what it is and where: "read x (a.go:3)".
func (f *Finding) describedAccesses() (texts []string) {
	for _, a := range f.Accesses {
		text := a.Phrase()
		if at := a.Pos(); at != "" {
			text += " (" + at + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

// Heading returns lines that say what is wrong, its effect, and the command that replays it.
func (f *Finding) Heading() []string {
	title := f.Title()
	if f.Test != "" {
		title += " in " + f.Test
	}
	lines := []string{title + ": " + f.Sentence()}
	if said := f.proof() == bug.FailedTest && f.Effect == bug.TestFailure; f.Effect.Severity() > 0 && !said {
		lines = append(lines, capitalized(f.Effect.Text())+".")
	}
	if f.Witness != "" {
		lines = append(lines, "Replay: gopredict replay "+shellWord(f.Witness))
	}
	return lines
}

// Sentence says in one sentence what is wrong, and where.
func (f *Finding) Sentence() string {
	places := f.describedAccesses()
	if len(places) == 0 {
		return "It has no places."
	}
	switch f.proof() {
	case bug.BlockedForever:
		var waits []string
		for i, a := range f.Accesses {
			waits = append(waits, fmt.Sprintf("goroutine %s at %s", a.Goroutine, places[i]))
		}
		return capitalized(joinWords(waits)) + " " + verbFor(len(waits), "waits", "wait") + " for ever."
	case bug.Monitored:
		return fmt.Sprintf("In an order that violates the property %q: %s.", f.Pattern, strings.Join(places, ", then "))
	case bug.InOrder:
		return "In an order that breaks what is meant to be atomic: " + strings.Join(places, ", then ") + "."
	case bug.FailedTest:
		if a := f.Accesses[0]; f.Kind == bug.Assertion && a.Expr != "" {
			places[0] = fmt.Sprintf("%s (%s)", a.Expr, a.Pos())
		}
		return "In another order of the goroutines the test fails: " + joinWords(places) + "."
	case bug.Misused:
		return "In another order of the goroutines this is fatal: " + joinWords(places) + "."
	}
	return "Nothing orders the " + strings.Join(places, " and the ") + "."
}

// joinWords joins words: "a", "a and b", "a, b and c".
func joinWords(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// verbFor returns the form of a verb for n subjects.
func verbFor(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
