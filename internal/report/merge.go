package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A Shard is the part of a run that a report covers.
type Shard struct {
	Index int `json:"index"` // from 1
	Count int `json:"of"`
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Merge joins the reports of all shards of one run, in any order; names are their files. Each bug is
// in the result once. Merge fails if a shard is missing or double, if a package is in two reports,
// and if the Go releases differ. Otherwise a missing shard would pass for one without findings.
func Merge(names []string, reports []*Report) (*Report, error) {
	if err := checkShards(names, reports); err != nil {
		return nil, err
	}
	out := &Report{Version: reports[0].Version, Go: reports[0].Go}
	of := make(map[string]string) // packages, by the report that has them
	for k, r := range reports {
		if r.Go != out.Go {
			return nil, fmt.Errorf("expected reports of one Go release; %s is of %s, %s of %s", names[0], out.Go, names[k], r.Go)
		}
		for _, p := range r.Packages {
			if before, again := of[p.Package]; again {
				return nil, fmt.Errorf("expected each package in one report; %s is in %s and %s", p.Package, before, names[k])
			}
			of[p.Package] = names[k]
		}
		out.DurationS, out.TestedS = max(out.DurationS, r.DurationS), max(out.TestedS, r.TestedS)
		out.AppendPart(r)
		for _, why := range r.Incomplete {
			out.Incomplete = append(out.Incomplete, names[k]+": "+why)
		}
	}
	out.Finish()
	return out, nil
}

// Join adds another part of the run. Both may have the same bugs: Finish leaves each of them once. The
// caller adds why the part is incomplete.
func (r *Report) AppendPart(part *Report) {
	r.Totals.Pruned += part.Totals.Pruned
	r.Packages = append(r.Packages, part.Packages...)
	r.Findings = append(r.Findings, part.Findings...)
	r.Witnesses = append(r.Witnesses, part.Witnesses...)
	r.Warnings = append(r.Warnings, part.Warnings...)
}

// checkShards checks that the reports are of all shards of one run, or of none.
func checkShards(names []string, reports []*Report) error {
	if len(reports) == 0 {
		return fmt.Errorf("expected reports to merge, found none")
	}
	by := make(map[int]string) // names, by index
	for k, r := range reports {
		first := reports[0].Shard
		switch {
		case (r.Shard == nil) != (first == nil):
			return fmt.Errorf("expected reports of shards only, or of none; %s and %s differ", names[0], names[k])
		case r.Shard == nil:
			continue
		case r.Shard.Count != first.Count:
			return fmt.Errorf("expected shards of one run; %s is %v, %s is %v", names[0], first, names[k], r.Shard)
		case r.Shard.Index < 1 || r.Shard.Index > r.Shard.Count:
			return fmt.Errorf("%s: there is no shard %v", names[k], r.Shard)
		case by[r.Shard.Index] != "":
			return fmt.Errorf("expected each shard once; %s and %s are both %v", by[r.Shard.Index], names[k], r.Shard)
		}
		by[r.Shard.Index] = names[k]
	}
	if first := reports[0].Shard; first != nil && len(by) < first.Count {
		var missing []string
		for k := 1; k <= first.Count && len(missing) < 5; k++ {
			if by[k] == "" {
				missing = append(missing, Shard{k, first.Count}.String())
			}
		}
		return fmt.Errorf("expected all shards; %d of %d are missing: %s", first.Count-len(by), first.Count, strings.Join(missing, ", "))
	}
	return nil
}

// prune removes refuted findings, and counts each of their bugs as pruned unless another finding says
// more. If one package refutes a bug, infeasible findings of it in other packages are removed, too:
// they are not proven any better.
func (r *Report) prune() {
	refuted, shown := make(map[string]bool), make(map[string]bool)
	for _, f := range r.Findings {
		refuted[f.BugKey()] = refuted[f.BugKey()] || f.Refuted
		shown[f.BugKey()] = shown[f.BugKey()] || !f.Refuted && f.Status != bug.Infeasible
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		if !f.Refuted && (f.Status != bug.Infeasible || !refuted[f.BugKey()]) {
			return false
		}
		if !shown[f.BugKey()] {
			shown[f.BugKey()] = true
			r.Totals.Pruned++
		}
		return true
	})
}

// Finish sorts the report, leaves each bug once, and sets the totals. Of a bug that several packages
// show, a confirmed finding stays. Totals.Pruned must have what the analysis pruned.
func (r *Report) Finish() {
	r.prune()
	r.Sort() // confirmed ones first
	seen := make(map[string]bool)
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		again := seen[f.BugKey()]
		seen[f.BugKey()] = true
		return again
	})
	t := &r.Totals
	*t = Totals{Pruned: t.Pruned}
	for _, f := range r.Findings {
		switch f.Status {
		case bug.Confirmed:
			t.Confirmed++
		case bug.Unconfirmed:
			t.Unconfirmed++
			if f.Undecided {
				t.Undecided++
			}
		case bug.Infeasible:
			t.Infeasible++
		}
	}
	t.Candidates = t.Pruned + t.Infeasible + t.Unconfirmed + t.Confirmed
}
