package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A Shard says which part of a run a report is of.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Merge joins the reports of all shards of one run, of which names says where they are
// from, in any order. Each bug is in the result once. It fails if a shard is missing or
// there twice, if a package is in two reports, and if they are of different Go releases:
// what is missing must not pass for a run without findings.
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
		out.Join(r)
		for _, why := range r.Incomplete {
			out.Incomplete = append(out.Incomplete, names[k]+": "+why)
		}
	}
	out.Finish()
	return out, nil
}

// Join adds what another part of the run has shown, which may show the same bugs: Finish leaves each of them once. Why
// that is incomplete is for the caller to add.
func (r *Report) Join(part *Report) {
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
		case r.Shard.Of != first.Of:
			return fmt.Errorf("expected shards of one run; %s is %v, %s is %v", names[0], first, names[k], r.Shard)
		case r.Shard.Index < 1 || r.Shard.Index > r.Shard.Of:
			return fmt.Errorf("%s: there is no shard %v", names[k], r.Shard)
		case by[r.Shard.Index] != "":
			return fmt.Errorf("expected each shard once; %s and %s are both %v", by[r.Shard.Index], names[k], r.Shard)
		}
		by[r.Shard.Index] = names[k]
	}
	if first := reports[0].Shard; first != nil && len(by) < first.Of {
		var missing []string
		for k := 1; k <= first.Of && len(missing) < 5; k++ {
			if by[k] == "" {
				missing = append(missing, Shard{k, first.Of}.String())
			}
		}
		return fmt.Errorf("expected all shards; %d of %d are missing: %s", first.Of-len(by), first.Of, strings.Join(missing, ", "))
	}
	return nil
}

// prune takes out the findings that are only undecided as runs may depart from what was recorded,
// where that refutes them, and counts each bug among them that nobody tells more of. What is
// infeasible elsewhere is no more proven than they are.
func (r *Report) prune() {
	refuted, told := make(map[string]bool), make(map[string]bool)
	for _, f := range r.Findings {
		refuted[f.Sites()] = refuted[f.Sites()] || f.Refuted
		told[f.Sites()] = told[f.Sites()] || !f.Refuted && f.Status != bug.Infeasible
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		if !f.Refuted && (f.Status != bug.Infeasible || !refuted[f.Sites()]) {
			return false
		}
		if !told[f.Sites()] {
			told[f.Sites()] = true
			r.Totals.Pruned++
		}
		return true
	})
}

// Finish puts the report in order and counts what is in it: each bug once, also where
// several packages have shown it, and not among the unconfirmed if it was confirmed
// elsewhere. What the analysis has pruned is counted by then.
func (r *Report) Finish() {
	r.prune()
	r.Sort() // confirmed ones first
	seen := make(map[string]bool)
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		again := seen[f.Sites()]
		seen[f.Sites()] = true
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
