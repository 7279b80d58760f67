package report

import "fmt"

// explored tells how much of what tests can do was seen.
func (p *printer) explored(r *Report) {
	for _, pkg := range r.Packages {
		for _, e := range pkg.Explored {
			p.line("explored: %s, %s: %s", e.Test, pkg.Package, e.text())
		}
	}
}

// text says how much was seen, and what is left.
func (e *Explored) text() string {
	seen := fmt.Sprintf("%s, %s", count(e.Behaviours, "behaviour"), count(e.Runs, "run"))
	if e.ByChance > 0 {
		seen += fmt.Sprintf(", %d of them by chance from seed %d on", e.ByChance, e.Seed)
	}
	switch {
	case e.Complete:
		return "completely: " + seen
	case e.Left > 0 && len(e.Open) == 0:
		return fmt.Sprintf("%s; %d more to try are left", seen, e.Left)
	case len(e.Open) > 0:
		return fmt.Sprintf("%s; %d more to try are left, and there may be others: %s", seen, e.Left, e.Open[0])
	}
	return seen
}
