package main

import (
	"fmt"
	"strings"
)

// shown is how many findings without effect the page has of one test and kind.
const shown = 5

// page returns the table, in Markdown. args are the command line that makes it.
func page(comparisons []*comparison, args []string, version string, cpus int) string {
	var rows, differences, varying, blocked, confirmed, warnings strings.Builder
	for _, c := range comparisons {
		rows.WriteString(c.row())
		for _, d := range c.differences {
			reason := d.reason()
			if reason == "" {
				reason = "**a bug of gopredict**"
			}
			fmt.Fprintf(&differences, "| %s | %s | %s | %s |\n", d.test, orNone(d.plain), orNone(d.recorded), reason)
		}
		for _, name := range c.varying {
			fmt.Fprintf(&varying, "- %s\n", name)
		}
		blocked.WriteString(c.blockedRow())
		for _, w := range c.report.Warnings {
			fmt.Fprintf(&warnings, "- %s\n", w)
		}
		harmless := make(map[[2]string]int) // by test and kind
		for _, f := range c.report.Findings {
			if f.Status != "confirmed" {
				continue
			}
			of := [2]string{f.Test, f.Kind}
			if f.Effect == "none" {
				harmless[of]++
			}
			if f.Effect != "none" || harmless[of] <= shown {
				fmt.Fprintf(&confirmed, "| %s | %s | %s | %s | %s | %s |\n", c.title(), f.Test, f.Kind, cell(f.places()), f.Effect, f.verdict())
			}
		}
	}
	return fmt.Sprintf(head, strings.Join(args, " "), version, cpus) + rows.String() +
		section("Differences", "| test | plain | recorded | reason |\n|---|---|---|---|\n", differences.String()) +
		section("Tests whose results vary without gopredict", "", varying.String()) +
		section("Goroutines that were left", left, blocked.String()) +
		section("What was confirmed", fmt.Sprintf("Of a test, at most %d of a kind that did no harm.\n\n", shown)+"| suite | test | kind | places | effect | by hand |\n|---|---|---|---|---|---|\n", confirmed.String()) +
		section("Warnings", "", warnings.String())
}

// row is the line of one suite.
func (c *comparison) row() string {
	if c.broken != nil {
		reason, _, _ := strings.Cut(c.broken.Error(), "\n")
		return fmt.Sprintf("| %s | %s | | **%s** | | | | | | |\n", c.title(), c.version, cell(reason))
	}
	same := "yes"
	if len(c.differences) > 0 {
		same = fmt.Sprintf("but for %d", len(c.differences))
	}
	var events int
	var bytes int64
	for _, p := range c.report.Packages {
		events += p.Events
		bytes += p.TraceBytes
	}
	count := c.plain.count
	t := c.report.Totals
	return fmt.Sprintf("| %s | %s | %d / %d / %d | %s | %d / %d | %d | %.1f | %.1f | %.1f | %.0f |\n",
		c.title(), c.version, count("pass"), count("fail"), count("skip"), same,
		t.Candidates, t.Confirmed, events, float64(bytes)/(1<<20),
		c.plain.seconds, c.recorded.seconds, c.recorded.memory)
}

// blockedRow is the suite's line of who was blocked for ever, or still at a test's end.
func (c *comparison) blockedRow() string {
	if c.broken != nil {
		return ""
	}
	confirmed := make(map[string]int)
	for _, f := range c.report.Findings {
		if f.Status == "confirmed" {
			confirmed[f.Kind]++
		}
	}
	lingering := 0
	for _, p := range c.report.Packages {
		lingering += len(p.Lingering)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d |\n", c.title(), c.version,
		c.recorded.count("pass")+c.recorded.count("fail"), confirmed["deadlock"], confirmed["leak"], lingering)
}

// title is the suite's name with its flags.
func (c *comparison) title() string {
	name, _, _ := strings.Cut(c.name, "@")
	return strings.Join(append([]string{name}, c.flags...), " ")
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
