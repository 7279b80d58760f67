package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/replayer/witness"
)

// TestTierOf: what the first recording leaves undecided has no tier of its own.
func TestTierOf(t *testing.T) {
	at := func(id string, line int) *witness.Witness {
		return &witness.Witness{ID: id, Kind: "race", Violation: []witness.Step{{File: "a.go", Line: line, Nth: 1}, {File: "a.go", Line: 9, Nth: 1}}}
	}
	predicted := func(tier string, w *witness.Witness) finding {
		return finding{analysis.Finding{Tier: tier}, w}
	}
	for _, c := range []struct {
		want     string
		findings []finding
	}{
		{"witness", nil},
		{"witness", []finding{predicted("", at("race-1", 3))}},
		{"witness", []finding{predicted("pecan", at("race-1", 4))}},
		{"departure", []finding{{analysis.Finding{Departures: []*analysis.Departure{nil}}, at("race-1", 3)}}},
		{"pecan", []finding{predicted("", at("race-1", 3)), predicted("pecan", at("race-2", 3))}},
		{"solver", []finding{predicted("pecan", at("race-2", 3)), predicted("solver", at("race-1", 3))}},
		{"solver", []finding{predicted("solver", at("race-1", 3)), predicted("pecan", at("race-2", 3))}},
	} {
		assert.Equal(t, c.want, tierOf(at("race-1", 3), "race-1", c.findings), "%v", c.findings)
	}
}
