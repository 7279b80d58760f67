package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gopredict/gopredict/internal/bug"
)

// TextOptions say how WriteText writes.
type TextOptions struct {
	Color    bool   // use ANSI colors
	Width    int    // of the terminal, in columns; 0 means 100
	Command  string // how the reader calls gopredict, for a shell; "" means "gopredict"
	AllSteps bool   // show all steps of an interleaving, however many
	Verbose  bool   // also show what is infeasible, and why, and count what is undecided
	// Screen is for a terminal: the most severe finding gets at most screenLines lines, with lines
	// of the program, and each other finding one line.
	Screen bool
}

// WriteText writes r for a reader. Confirmed findings that gate by default come first, each in the
// shape that users of go test -race know, with the interleaving as a table. Warnings follow in a
// few lines each, then how many were not confirmed, the warnings about the run, and the totals.
func WriteText(w io.Writer, r *Report, opts TextOptions) error {
	r = printable(r)
	p := newPrinter(w, opts)
	p.screen = opts.Screen && !opts.Verbose
	p.writeConfirmed(r)
	p.writeKnown(r)
	p.writeOthers(r)
	for _, s := range r.Witnesses {
		p.writeWitness(s)
	}
	for _, s := range r.Warnings {
		p.printf("warning: %s", s)
	}
	p.writeSkipped(r)
	p.writeLingering(r)
	p.writeExplored(r)
	p.writeList(r)
	p.writeTotals(r)
	return p.w.Flush()
}

// WriteFinding writes one finding as WriteText does, between its bars; for
// gopredict replay.
func WriteFinding(w io.Writer, f *Finding, opts TextOptions) error {
	p := newPrinter(w, opts)
	p.printf("%s", bar)
	p.writeFinding(printable(f))
	p.printf("%s", bar)
	return p.w.Flush()
}

// A printer writes the parts of the text. Errors of w are found by its Flush.
type printer struct {
	w       *bufio.Writer
	width   int
	style   style
	command string
	opts    TextOptions
	screen  bool    // see TextOptions; false if verbose
	brevity brevity // of the finding that is written
}

func newPrinter(w io.Writer, opts TextOptions) *printer {
	return &printer{
		w: bufio.NewWriter(w), width: cmp.Or(max(opts.Width, 0), defaultWidth), style: style(opts.Color),
		command: cmp.Or(opts.Command, "gopredict"), opts: opts,
	}
}

func (p *printer) printf(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", args...)
}

// bar is the line that the race detector puts around a report.
const bar = "=================="

// confirmedToWrite returns the confirmed findings to write, in the order of the report, and counts
// the warnings that are too many.
func (p *printer) confirmedToWrite(r *Report) (findings []*Finding, tooMany int) {
	warnings := 0
	for _, f := range r.confirmedFindings() {
		if f.warns() {
			if warnings++; warnings > maxWarnings && !p.opts.Verbose {
				tooMany++
				continue
			}
		}
		findings = append(findings, f)
	}
	return findings, tooMany
}

// writeConfirmed writes the confirmed findings between bars, the warnings last.
func (p *printer) writeConfirmed(r *Report) {
	findings, tooMany := p.confirmedToWrite(r)
	gating := slices.DeleteFunc(slices.Clone(findings), (*Finding).warns)
	findings = append(gating, slices.DeleteFunc(findings, (*Finding).Gates)...)
	if len(findings) > 0 {
		p.printf("%s", bar)
	}
	if p.screen {
		p.writeScreen(findings)
	} else {
		for _, f := range findings {
			p.writeFindingOrWarning(f)
			p.printf("%s", bar)
		}
	}
	if tooMany > 0 {
		p.printf("%s without an effect on their tests; -v shows all, and -predict.json=FILE has them.", count(tooMany, "more warning"))
	}
}

// writeList lists the confirmed findings, if there are several and each was written in full. Each
// has a line with its id, effect, test and main place.
func (p *printer) writeList(r *Report) {
	findings, _ := p.confirmedToWrite(r)
	if len(findings) < 2 || p.screen {
		return
	}
	var idWidth, effectWidth int
	for _, f := range findings {
		idWidth, effectWidth = max(idWidth, utf8.RuneCountInString(f.ID)), max(effectWidth, utf8.RuneCountInString(string(f.Effect)))
	}
	p.printf("%s:", count(len(findings), "bug"))
	for _, f := range findings {
		p.printf("  %-*s  %-*s  %s, %s: %s", idWidth, f.ID, effectWidth, f.Effect, f.Test, f.Package, f.mainPosition().Pos())
	}
}

// writeFindingOrWarning writes a confirmed finding.
func (p *printer) writeFindingOrWarning(f *Finding) {
	if f.warns() {
		p.writeWarning(f)
	} else {
		p.writeFinding(f)
	}
}

// writeWarning writes a finding without an effect: its accesses, and the command that replays it.
func (p *printer) writeWarning(f *Finding) {
	p.printf("%s", p.style.strong(f.certainty()+": "+f.Title()))
	p.printf("%s, without an effect on the test", f.idAndTest())
	width := 0
	for _, a := range f.Accesses {
		width = max(width, utf8.RuneCountInString(a.Pos()))
	}
	for _, a := range f.Accesses {
		p.printf("  %s  %s by goroutine %s", pad(a.Pos(), width), a.Phrase(), a.Goroutine)
	}
	p.writeReplay(f)
}

// idAndTest returns the id of the finding with its test.
func (f *Finding) idAndTest() string {
	if f.Test == "" {
		return f.ID + " in " + f.Package
	}
	return f.ID + " in " + f.Test + ", " + f.Package
}

// writeReplay writes the command that replays f.
func (p *printer) writeReplay(f *Finding) {
	if f.Witness != "" {
		p.printf("Replay: %s", p.style.strong(p.command+" replay "+shellWord(f.Witness)))
	}
}

// writeFinding writes one finding in full.
func (p *printer) writeFinding(f *Finding) {
	p.printf("%s", p.style.loud(f.certainty()+": "+f.Title()))
	p.printf("%s", f.idAndTest())
	for i := range f.Accesses {
		p.printf("")
		p.writeAccess(f, i)
	}
	for i := range f.Accesses {
		if p.brevity < withoutCreation {
			p.writeCreation(f, i)
		}
	}
	p.writeCycle(f)
	p.writeAlso(f)
	if !f.Undecided && f.Status != bug.Infeasible { // else nothing leads there yet
		p.writeTable(f)
	}
	p.printf("")
	p.writeEffect(f)
	p.writeReplay(f)
}

// certainty returns the word that a finding begins with, by its status.
func (f *Finding) certainty() string {
	switch {
	case f.Gates():
		return "CONFIRMED"
	case f.warns():
		return "WARNING"
	case f.Suppressed != nil:
		return "KNOWN"
	case f.Status == bug.Infeasible:
		return "INFEASIBLE"
	case f.Undecided:
		return "UNDECIDED"
	case f.Reproduced > 0:
		return "NOT CONFIRMED"
	}
	return "PREDICTED"
}

// writeAccess writes access i: what its goroutine is about to execute, where, and its locks.
func (p *printer) writeAccess(f *Finding, i int) {
	a := f.Accesses[i]
	p.printf("%s by goroutine %s:", f.describeAccess(i), a.Goroutine)
	if len(a.Stack) > 0 {
		p.writeStack(f, a)
	} else {
		p.writePosition(a.Position)
		p.writeSource(f, a)
	}
	for _, l := range a.Locks {
		p.printf("  holding %s, locked at %s", lockName(l.Name()), l.Pos())
	}
}

// writeCreation writes where the goroutine of one access was created, unless an
// earlier access was of the same goroutine.
func (p *printer) writeCreation(f *Finding, i int) {
	a := f.Accesses[i]
	if a.CreatedAt == nil && a.Subtest == "" || !f.isFirstOf(i) {
		return
	}
	p.printf("")
	if a.Subtest != "" {
		p.printf("Goroutine %s runs %s", a.Goroutine, a.Subtest)
		return
	}
	p.printf("Goroutine %s created at:", a.Goroutine)
	p.writePosition(a.CreatedAt.Position)
	if c := a.CreatedFor; c != nil {
		p.writePosition(c.Position)
	}
}

func (p *printer) writePosition(at Position) {
	p.printf("  %s()", at.Func)
	p.printf("      %s", at.Pos())
}

// Phrase says what another goroutine has done.
func (o OtherGoroutine) Phrase() string { return Phrase(o.Op, o.Name()) }

// Phrase says what the access is: "receive from c".
func (a Access) Phrase() string { return Phrase(a.Op, a.Name()) }

// writeEffect writes what the bug did to the test.
func (p *printer) writeEffect(f *Finding) {
	if f.Status == bug.Infeasible {
		p.printf("Infeasible: %s", f.Reason)
		return
	}
	if f.Status != bug.Confirmed {
		p.printf("Not confirmed: %s", f.Reason)
		p.printf("What you can do: %s", f.Advice())
		return
	}
	first := ""
	if f.FirstAccess < len(f.Accesses) && len(f.Accesses) > 1 && f.Accesses[0].Region == 0 && f.Kind.Proof() != bug.BlockedForever && !f.eachOrderHasEffect() {
		first = fmt.Sprintf(" when goroutine %s goes first", f.Accesses[f.FirstAccess].Goroutine)
	}
	if f.Effect.Severity() == 0 {
		p.printf("Effect: %s; %s", f.Effect.Text(), reproduced(f))
		return
	}
	p.printf("Effect: %s%s", p.style.loud(f.Effect.Text()), first)
	for _, l := range f.Detail {
		p.printf("    %s", l)
	}
	p.printf("%s.", capitalized(reproduced(f)))
}

// eachOrderHasEffect reports whether the bug does the same to the test whichever access goes first.
func (f *Finding) eachOrderHasEffect() bool {
	return len(f.OrderOutcomes) > 1 && !slices.ContainsFunc(f.OrderOutcomes, func(o Outcome) bool {
		return o.Effect != f.Effect || !slices.Equal(o.Detail, f.Detail)
	})
}

// reproduced says how many replays reached the violation.
func reproduced(f *Finding) string {
	return fmt.Sprintf("reproduced in %d of %s", f.Reproduced, count(f.Replays, "replay"))
}

// writeKnown writes how many confirmed findings are known and so fail no run, and for a verbose text
// which.
func (p *printer) writeKnown(r *Report) {
	by := make(map[SuppressedBy]int)
	all := 0
	for _, f := range r.Findings {
		if f.Suppressed == nil {
			continue
		}
		by[f.Suppressed.By]++
		all++
		if p.opts.Verbose {
			p.printf("known: %s: %s: %s", f.idAndTest(), strings.ToLower(f.Title()), f.Suppressed.Reason)
		}
	}
	var parts []string
	for _, k := range []struct {
		by   SuppressedBy
		text string
	}{{ByBaseline, "%d of the baseline"}, {ByComment, "%d that a comment ignores"}, {ByRevision, "%d where nothing was changed"}} {
		if n := by[k.by]; n > 0 {
			parts = append(parts, fmt.Sprintf(k.text, n))
		}
	}
	if all > 0 {
		p.printf("%s confirmed that %s known: %s", count(all, "bug"), verbFor(all, "is", "are"), strings.Join(parts, ", "))
	}
}

// writeOthers writes how many findings were predicted but not confirmed. A verbose text also has how
// many are undecided, which correct programs have, too, and a line for each that is infeasible.
func (p *printer) writeOthers(r *Report) {
	if n := r.Totals.Unconfirmed - r.Totals.Undecided; n > 0 {
		p.printf("%d predicted, but not confirmed by a replay; -predict.json=FILE tells why.", n)
	}
	if !p.opts.Verbose {
		return
	}
	if n := r.Totals.Undecided; n > 0 {
		p.printf("%d undecided, neither shown nor ruled out; -predict.json=FILE tells why.", n)
	}
	for _, f := range r.Findings {
		if f.Status == bug.Infeasible {
			p.printf("infeasible: %s: %s, %s: %s", f.idAndTest(), strings.ToLower(f.Title()), strings.Join(f.describedAccesses(), ", "), f.Reason)
		}
	}
}

// writeWitness writes the outcome of a saved witness, unless it is a finding.
func (p *printer) writeWitness(s WitnessState) {
	switch s.Status {
	case bug.Confirmed:
	case bug.Fixed:
		p.printf("fixed: %s: %s", s.Witness, s.Reason)
	case bug.Stale:
		p.printf("warning: %s: stale: %s; delete the file, or record it anew", s.Witness, s.Reason)
	case bug.Damaged: // the reason names the file
		p.printf("warning: %s", s.Reason)
	default:
		p.printf("warning: %s: %s: %s", s.Witness, s.Status, s.Reason)
	}
}

// writeSkipped writes a line about the files that were not instrumented.
func (p *printer) writeSkipped(r *Report) {
	var all []string
	for _, pkg := range r.Packages {
		all = append(all, pkg.Skipped...)
	}
	slices.Sort(all)
	all = slices.Compact(all) // a package may be part of several test binaries
	if len(all) == 0 {
		return
	}
	names := strings.Join(all[:min(len(all), maxSkipped)], "; ")
	if more := len(all) - maxSkipped; more > 0 {
		names += fmt.Sprintf("; and %d more", more)
	}
	p.printf("note: accesses of %s are not recorded: %s", count(len(all), "file"), names)
}

// writeTotals writes the last line.
func (p *printer) writeTotals(r *Report) {
	text := r.Summary()
	if confirmed, rest, _ := strings.Cut(text, ","); r.Totals.Confirmed > 0 {
		text = p.style.loud(confirmed) + "," + rest
	}
	p.printf("gopredict: %s", text)
	if plain := r.nothingFound(); plain != "" {
		p.printf("gopredict: %s", plain)
	}
}

// nothingFound says what it means that a complete run confirmed nothing; "" for other runs. Tests that
// failed anyway, and what chance decides, were not judged.
func (r *Report) nothingFound() string {
	tests, events, _ := r.size()
	switch {
	case r.Totals.Confirmed > 0 || len(r.Incomplete) > 0 || len(r.Packages) == 0:
		return ""
	case tests == 0:
		return "no test was recorded, and so no bug was looked for"
	}
	var failed []string
	for k := range r.Packages {
		failed = append(failed, r.Packages[k].failedTests()...)
	}
	text := fmt.Sprintf("no concurrency bug found in %s (%s)", count(tests, "test"), count(events, "event"))
	if !r.allWasLookedAt() {
		text = "nothing confirmed, and not all was looked at or decided, as the lines above say"
	}
	if len(failed) > 0 {
		text += fmt.Sprintf("; but %s failed, or came to no end, which hides bugs: %s", count(len(failed), "test"), firstOf(failed))
	}
	if chance := r.chance(); len(chance) > 0 {
		text += "; what chance decides was not searched: " + strings.Join(chance, ", ")
	}
	return text
}

// chance names what tests have looked at that chance decides, and the tests.
func (r *Report) chance() (texts []string) {
	var all Package
	for _, pkg := range r.Packages {
		for _, c := range pkg.Chance {
			for _, test := range c.Tests {
				all.AddChance(c.What, test)
			}
		}
	}
	slices.SortFunc(all.Chance, func(a, b ChanceLook) int { return strings.Compare(a.What, b.What) })
	for _, c := range all.Chance {
		texts = append(texts, fmt.Sprintf("%s (%s)", c.What, firstOf(c.Tests)))
	}
	return texts
}

// firstOf names the first of some tests, and counts the others.
func firstOf(tests []string) string {
	if more := len(tests) - maxNamedTests; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(tests[:maxNamedTests], ", "), more)
	}
	return strings.Join(tests, ", ")
}

// allWasLookedAt reports whether a complete run has looked at all that its tests did, and has left
// nothing that it has seen or predicted without an answer.
func (r *Report) allWasLookedAt() bool {
	for _, pkg := range r.Packages {
		if len(pkg.Skipped) > 0 {
			return false
		}
	}
	open := func(w WitnessState) bool { return w.Status != bug.Confirmed && w.Status != bug.Fixed }
	return len(r.Warnings) == 0 && r.Totals.Unconfirmed == r.Totals.Undecided && !slices.ContainsFunc(r.Witnesses, open)
}

// size returns how many tests and events were recorded, in how many packages.
func (r *Report) size() (tests, events, packages int) {
	for _, pkg := range r.Packages {
		tests += pkg.Tests
		events += pkg.Events
	}
	return tests, events, len(r.Packages)
}

// Summary returns the totals in a line, and why the run is incomplete.
func (r *Report) Summary() string {
	tests, events, packages := r.size()
	t := r.Totals
	undecided := ""
	if t.Undecided > 0 {
		undecided = fmt.Sprintf(", %d undecided", t.Undecided)
	}
	text := fmt.Sprintf("%d confirmed, %d not confirmed%s, %d infeasible, %d pruned of %s; %s in %s, %s, %.1fs",
		t.Confirmed, t.Unconfirmed-t.Undecided, undecided, t.Infeasible, t.Pruned, count(t.Candidates, "candidate"),
		count(tests, "test"), count(packages, "package"), count(events, "event"), r.DurationS)
	if len(r.Incomplete) > 0 {
		text += "; incomplete: " + strings.Join(r.Incomplete, "; ")
	}
	return text
}

// count returns "1 test", "2 tests", "2 switches".
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func capitalized(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// shellWord returns s as a word for a shell, quoted if needed.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$&|;<>()*?[]`!#~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// A style colors text, if it is true.
type style bool

func (s style) loud(t string) string   { return s.ansi("1;31", t) }
func (s style) strong(t string) string { return s.ansi("1", t) }
func (s style) faint(t string) string  { return s.ansi("2", t) }

func (s style) ansi(code, t string) string {
	if !s {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}
