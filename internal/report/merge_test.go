package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
)

// What is undecided only as runs may depart from what was recorded is counted as pruned, each bug
// once, unless something more is told of it.
func TestRefutedIsPruned(t *testing.T) {
	at := func(line int, status bug.Status, refuted bool) Finding {
		return Finding{Kind: "race", Status: status, Undecided: status == bug.Unconfirmed, Refuted: refuted, Accesses: []Access{{Expr: "x", Position: Position{File: "a.go", Line: line}}}}
	}
	r := &Report{Totals: Totals{Pruned: 5}, Findings: []Finding{
		at(1, bug.Unconfirmed, true), at(1, bug.Unconfirmed, true),
		at(2, bug.Unconfirmed, true), at(2, bug.Unconfirmed, false),
		at(3, bug.Infeasible, false), at(3, bug.Unconfirmed, true),
		at(4, bug.Confirmed, false), at(4, bug.Unconfirmed, true),
		at(5, bug.Infeasible, false),
	}}
	r.Finish()
	assert.Equal(t, Totals{Candidates: 10, Pruned: 7, Confirmed: 1, Unconfirmed: 1, Undecided: 1, Infeasible: 1}, r.Totals)
	assert.Equal(t, []Finding{at(4, bug.Confirmed, false), at(2, bug.Unconfirmed, false), at(5, bug.Infeasible, false)}, r.Findings)
}

func TestMerge(t *testing.T) {
	race := func(status bug.Status, line int) Finding {
		return Finding{Kind: "race", Status: status, Accesses: []Access{{Expr: "x", Position: Position{File: "a.go", Line: line}}}}
	}
	shard := func(k, of int, pkg string, fs ...Finding) *Report {
		return &Report{Go: "go1.26.8", Shard: &Shard{k, of}, Packages: []Package{{Package: pkg}}, Findings: fs, Totals: Totals{Pruned: 2}}
	}
	names := []string{"1.json", "2.json"}
	r, err := Merge(names, []*Report{
		shard(2, 2, "b", race(bug.Unconfirmed, 1), race(bug.Infeasible, 3)),
		shard(1, 2, "a", race(bug.Confirmed, 1), race(bug.Unconfirmed, 2)),
	})
	require.NoError(t, err)
	assert.Nil(t, r.Shard)
	assert.Equal(t, Totals{Candidates: 7, Pruned: 4, Confirmed: 1, Unconfirmed: 1, Infeasible: 1}, r.Totals)
	assert.Equal(t, "a", r.Packages[0].Package)
	assert.Equal(t, bug.Confirmed, r.Findings[0].Status)

	first, second := shard(1, 2, "a"), shard(2, 2, "b")
	first.DurationS, second.DurationS, first.TestedS, second.TestedS = 3, 5, 2, 1
	first.Incomplete, second.Incomplete = []string{"interrupted"}, []string{"the time was over", "a full disk"}
	first.Warnings, second.Witnesses = []string{"stale"}, []WitnessState{{ID: "race-1"}}
	r, err = Merge(names, []*Report{first, second})
	require.NoError(t, err)
	assert.Equal(t, []string{"1.json: interrupted", "2.json: the time was over", "2.json: a full disk"}, r.Incomplete)
	assert.Equal(t, []float64{5, 2}, []float64{r.DurationS, r.TestedS})
	assert.Equal(t, []string{"stale"}, r.Warnings)
	assert.Equal(t, "race-1", r.Witnesses[0].ID)

	other := shard(2, 2, "b")
	other.Go = "go1.27.0"
	whole := shard(2, 2, "b")
	whole.Shard = nil
	for want, second := range map[string]*Report{
		"expected each shard once; 1.json and 2.json are both 1/2":                      shard(1, 2, "b"),
		"expected shards of one run; 1.json is 1/2, 2.json is 2/3":                      shard(2, 3, "b"),
		"2.json: there is no shard 3/2":                                                 shard(3, 2, "b"),
		"expected each package in one report; a is in 1.json and 2.json":                shard(2, 2, "a"),
		"expected reports of one Go release; 1.json is of go1.26.8, 2.json of go1.27.0": other,
		"expected reports of shards only, or of none; 1.json and 2.json differ":         whole,
	} {
		_, err := Merge(names, []*Report{shard(1, 2, "a"), second})
		assert.EqualError(t, err, want)
	}
	_, err = Merge(names[:1], []*Report{shard(2, 3, "a")})
	assert.EqualError(t, err, "expected all shards; 2 of 3 are missing: 1/3, 3/3")
	_, err = Merge(nil, nil)
	assert.Error(t, err)
}
