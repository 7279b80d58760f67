package main

import (
	"fmt"
	"slices"
	"strings"
)

// shown is how many findings without effect the page has of one test and kind.
const shown = 5

// A row is what the page has of one suite.
type row struct {
	Title, Version      string
	Broken              string // what made the comparison fail
	Pass, Fail, Skip    int    // tests, plainly
	Ran                 int    // tests with gopredict that passed or failed
	Differences         []difference
	Varying             []string // tests whose results differ without gopredict already
	Candidates          int
	Confirmed           []finding
	Lingering           int
	Warnings            []string
	Events              int
	TraceBytes          int64
	Plain, Seconds, MiB float64
	Costs               costs
}

// row returns what the page has of c.
func (c *comparison) row() row {
	r := row{Title: c.title(), Version: c.version}
	if c.broken != nil {
		r.Broken, _, _ = strings.Cut(c.broken.Error(), "\n")
		return r
	}
	count := c.plain.count
	r.Pass, r.Fail, r.Skip = count("pass"), count("fail"), count("skip")
	r.Ran = c.recorded.count("pass") + c.recorded.count("fail")
	r.Differences, r.Varying, r.Warnings = c.differences, c.varying, c.report.Warnings
	r.Candidates = c.report.Totals.Candidates
	r.Confirmed = slices.DeleteFunc(slices.Clone(c.report.Findings), func(f finding) bool { return f.Status != "confirmed" })
	for _, p := range c.report.Packages {
		r.Events += p.Events
		r.TraceBytes += p.TraceBytes
		r.Lingering += len(p.Lingering)
	}
	r.Costs = c.costs
	r.Plain, r.Seconds, r.MiB = c.plain.seconds, c.recorded.seconds, c.recorded.memory
	return r
}

// page returns the table, in Markdown. args are the command line that makes it.
func page(all []row, args []string, version string, cpus int) string {
	var rows, differences, varying, exploring, blocked, confirmed, warnings strings.Builder
	for _, r := range all {
		rows.WriteString(r.line())
		for _, d := range r.Differences {
			reason := d.reason()
			if reason == "" {
				reason = "**a bug of gopredict**"
			}
			fmt.Fprintf(&differences, "| %s | %s | %s | %s |\n", d.Test, orNone(d.Plain), orNone(d.Recorded), reason)
		}
		for _, name := range r.Varying {
			fmt.Fprintf(&varying, "- %s\n", name)
		}
		if c := r.Costs; c.On > 0 {
			fmt.Fprintf(&exploring, "| %s | %.1f | %.1f | %.2f | %d | %d |\n", r.Title, c.Off, c.On, c.On/c.Off, c.OffConfirmed, c.OnConfirmed)
		}
		blocked.WriteString(r.blocked())
		for _, w := range r.Warnings {
			fmt.Fprintf(&warnings, "- %s\n", w)
		}
		harmless := make(map[[2]string]int) // by test and kind
		for _, f := range r.Confirmed {
			of := [2]string{f.Test, f.Kind}
			if f.Effect == "none" {
				harmless[of]++
			}
			if f.Effect != "none" || harmless[of] <= shown {
				fmt.Fprintf(&confirmed, "| %s | %s | %s | %s | %s | %s |\n", r.Title, f.Test, f.Kind, cell(f.places()), f.Effect, f.verdict())
			}
		}
	}
	return fmt.Sprintf(head, strings.Join(args, " "), version, cpus) + rows.String() +
		section("Differences", "| test | plain | recorded | reason |\n|---|---|---|---|\n", differences.String()) +
		section("Tests whose results vary without gopredict", "", varying.String()) +
		section("What exploring costs", exploringHead, exploring.String()) +
		section("Goroutines that were left", left, blocked.String()) +
		section("What was confirmed", fmt.Sprintf("Of a test, at most %d of a kind that did no harm.\n\n", shown)+"| suite | test | kind | places | effect | by hand |\n|---|---|---|---|---|---|\n", confirmed.String()) +
		section("Warnings", "", warnings.String())
}

// line is the line of one suite.
func (r row) line() string {
	if r.Broken != "" {
		return fmt.Sprintf("| %s | %s | | **%s** | | | | | | |\n", r.Title, r.Version, cell(r.Broken))
	}
	same := "yes"
	if len(r.Differences) > 0 {
		same = fmt.Sprintf("but for %d", len(r.Differences))
	}
	return fmt.Sprintf("| %s | %s | %d / %d / %d | %s | %d / %d | %d | %.1f | %.1f | %.1f | %.0f |\n",
		r.Title, r.Version, r.Pass, r.Fail, r.Skip, same,
		r.Candidates, len(r.Confirmed), r.Events, float64(r.TraceBytes)/(1<<20),
		r.Plain, r.Seconds, r.MiB)
}

// blocked is the suite's line of who was blocked for ever, or still at a test's end.
func (r row) blocked() string {
	if r.Broken != "" {
		return ""
	}
	confirmed := make(map[string]int)
	for _, f := range r.Confirmed {
		confirmed[f.Kind]++
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d |\n", r.Title, r.Version, r.Ran, confirmed["deadlock"], confirmed["leak"], r.Lingering)
}

// title is the suite's name with its flags.
func (s suite) title() string {
	name, _, _ := strings.Cut(s.name, "@")
	return strings.Join(append([]string{name}, s.flags...), " ")
}

func section(title, head, rows string) string {
	if rows == "" {
		rows, head = "None.\n", ""
	}
	return "\n## " + title + "\n\n" + head + rows
}

func orNone(outcome string) string {
	if outcome == "" {
		return "no result"
	}
	return outcome
}

// cell makes text fit into a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}

const exploringHead = `Seconds of processor time of ` + "`gopredict test -predict.explore=off`" + ` and of one by default,
the one after the other, of what was built before; and how many bugs each confirms. By ` + "`-costs`" + `,
of a sample. Some runs of each test there are in any case: of a suite whose tests take no time that
may be more than twice as long.

| suite | off s | default s | default / off | off, confirmed | default, confirmed |
|---|---|---|---|---|---|
`

const left = `Confirmed deadlocks and leaks are in the table below, each with what looking at it
by hand has shown. Who was *lingering* may be woken yet, and is no finding.

| suite | version | tests | deadlocks | leaks | lingering |
|---|---|---|---|---|---|
`

const head = `# The suites of others

What runs under gopredict must come out as it does without. This page is written
by

    go run ./internal/measure/outcomes %s

which runs the tests of std packages, instrumented themselves, and of public
modules, as they are and with gopredict, and compares the result of each test and
subtest by its name; here with %s on %d cores. Each suite is run plainly several
times: a test whose result varies then is listed and not compared.

*Events* and *trace* are those of all test binaries of a suite; where a test had
more events than there was room for, a warning says so. *Seconds* are
processor time of ` + "`go test`" + ` and of ` + "`gopredict test`" + `, with building; of the latter
with analysis and replays. *Memory* is that of its largest process.

| suite | version | tests pass / fail / skip | recorded the same | candidates / confirmed | events | trace MiB | plain s | gopredict s | memory MiB |
|---|---|---|---|---|---|---|---|---|---|
`
