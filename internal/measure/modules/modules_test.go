package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(file, []byte(`{
	"duration_s": 6, "tested_s": 3.5, "packages": [{"events": 5, "record_s": 0.5}, {"events": 7, "record_s": 1}],
	"findings": [
		{"status": "confirmed"},
		{"status": "infeasible", "reason": "no order"},
		{"status": "unconfirmed", "reason": "undecided: no order, but p.n may find something else (read at p.go:12)"},
		{"status": "unconfirmed", "reason": "undecided: no order, but q may find something else (read at q.go:3)"},
		{"status": "unconfirmed", "reason": "undecided within budget (the trace has 7,000,000 events): the orders that lead there would change it"}
	],
	"totals": {"candidates": 20, "pruned": 15, "infeasible": 1}
}`), 0o666))
	var r row
	require.NoError(t, r.read(file))
	assert.Equal(t, row{
		Candidates: 20, Pruned: 15, Infeasible: 1, Confirmed: 1, Undecided: 3, Events: 12, Recording: 1.5, After: 2.5,
		Reasons: map[string]int{
			"undecided: no order, but a read, a branch, a select or a message may find something else": 2,
			"undecided within budget (the trace has N events)":                                         1,
		},
	}, r)
	r.Plain, r.Race, r.Predict = cost{1, 1, 10, true}, cost{2, 1, 20, true}, cost{6, 3, 30, true}
	before := row{Candidates: 18, Undecided: 9, Predict: cost{12, 6, 60, true}}
	text := page(map[string]row{modules[0]: r, modules[1]: r}, map[string]row{modules[0]: before})
	assert.Contains(t, text, "| "+modules[0]+" | 1.0 | 1.0 | 2.0 | 1.0 | 20 | 12.0 | 6.0 | 60 | 6.0 | 3.0 | 30 | 3.00 | 1.5 | 2.5 |\n")
	assert.Contains(t, text, "| "+modules[1]+" | 1.0 | 1.0 | 2.0 | 1.0 | 20 |  | | | 6.0 | 3.0 | 30 | 3.00 | 1.5 | 2.5 |\n\nGeometric mean of × -race: 3.00.")
	assert.Contains(t, text, "| "+modules[0]+" | 12 | 18 | 20 | 0 | 1 | 9 | 3 | 15.0 % |\n")
}
