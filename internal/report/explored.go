package report

import (
	"fmt"
	"strings"
)

// writeExplored writes how far tests were explored.
func (p *printer) writeExplored(r *Report) {
	for _, line := range r.exploredLines() {
		p.printf("explored: %s", line)
	}
}

// exploredLines returns a line for each explored test. Tests of a package share a line if one run
// showed all that they can do, as they have one goroutine.
func (r *Report) exploredLines() (lines []string) {
	for _, pkg := range r.Packages {
		var once []string
		text := ""
		for _, e := range pkg.Explored {
			if e.Complete && e.Runs == 1 {
				once, text = append(once, e.Test), e.summary()
			} else {
				lines = append(lines, fmt.Sprintf("%s, %s: %s", e.Test, pkg.Package, e.summary()))
			}
		}
		if len(once) == 0 {
			continue
		}
		names := strings.Join(once[:min(len(once), maxCompleteNamed)], ", ")
		if more := len(once) - maxCompleteNamed; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		if len(once) > 1 {
			text += " each"
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", names, pkg.Package, text))
	}
	return lines
}

// summary says how many behaviours were seen, and what is left.
func (e *Explored) summary() string {
	seen := fmt.Sprintf("%s, %s", count(e.Behaviours, "behaviour"), count(e.Runs, "run"))
	if e.RandomRuns > 0 {
		seen += fmt.Sprintf(", %d of them by chance from seed %d on", e.RandomRuns, e.Seed)
	}
	switch {
	case e.Complete:
		return "completely: " + seen
	case e.RunsLeft > 0 && len(e.OpenReasons) == 0:
		return fmt.Sprintf("%s; %d more to try are left", seen, e.RunsLeft)
	case len(e.OpenReasons) > 0:
		return fmt.Sprintf("%s; %d more to try are left, and there may be others: %s", seen, e.RunsLeft, e.OpenReasons[0])
	}
	return seen
}
