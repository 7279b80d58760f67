package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/replayer/witness"
)

// TestTierOf: what the first recording leaves undecided has no tier of its own.
func TestTierOf(t *testing.T) {
	at := func(id string, line int) *witness.Witness {
		return &witness.Witness{ID: id, Kind: "race", Violation: []witness.Step{{File: "a.go", Line: line, SiteNumber: 1}, {File: "a.go", Line: 9, SiteNumber: 1}}}
	}
	predicted := func(tier string, w *witness.Witness) finding.Finding {
		return finding.Finding{Finding: analysis.Finding{Tier: tier}, Witness: w}
	}
	for _, c := range []struct {
		want     string
		findings []finding.Finding
	}{
		{"witness", nil},
		{"witness", []finding.Finding{predicted("", at("race-1", 3))}},
		{"witness", []finding.Finding{predicted("pecan", at("race-1", 4))}},
		{"departure", []finding.Finding{{Finding: analysis.Finding{Departures: []*analysis.Departure{nil}}, Witness: at("race-1", 3)}}},
		{"pecan", []finding.Finding{predicted("", at("race-1", 3)), predicted("pecan", at("race-2", 3))}},
		{"solver", []finding.Finding{predicted("pecan", at("race-2", 3)), predicted("solver", at("race-1", 3))}},
		{"solver", []finding.Finding{predicted("solver", at("race-1", 3)), predicted("pecan", at("race-2", 3))}},
	} {
		assert.Equal(t, c.want, tierOf(at("race-1", 3), "race-1", c.findings), "%v", c.findings)
	}
}
