package main

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The median is that of all seeds, though not each is run until it fails.
func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		b := &bench{seeds: 1 + r.IntN(20)}
		all := make([]int, b.seeds) // until it fails
		for seed := range all {
			all[seed] = min(1+r.IntN(300), most+1)
		}
		got, err := b.median(func(seed, n int) (bool, error) { return n+1 == all[seed], nil })
		require.NoError(t, err)
		slices.Sort(all)
		require.Equal(t, all[(len(all)-1)/2], got, all)
	}
}

func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.json")
	b := &bench{seeds: 20, random: 5, oracle: "| 1 |\n", programs: []*program{{test: "TestA", row: new(row)}, {test: "TestB"}}}
	b.programs[1].row = &row{With: "abc", Explored: outcome{Confirmed: 2, Runs: 3}, Plain: 201}
	require.NoError(t, b.save(file))

	other := &bench{seeds: 20, random: 5, programs: []*program{{test: "TestA", row: new(row)}, {test: "TestB", bug: true, row: new(row)}}}
	require.NoError(t, other.load(file))
	assert.False(t, other.measured(other.programs[0]))
	assert.False(t, other.measured(other.programs[1]), "the orders of chance are missing")
	assert.Equal(t, "abc (1 of the programs)", other.with(func(p *program) string { return p.With }))
	assert.Equal(t, b.programs[1].row, other.programs[1].row)
	assert.Equal(t, b.oracle, other.oracle)

	assert.ErrorContains(t, (&bench{seeds: 5}).load(file), "expected rows of 5 seeds, as -seeds says, found 20")
	fewer := &bench{seeds: 20, random: 4}
	require.NoError(t, fewer.load(file))
	assert.Empty(t, fewer.oracle, "the table is of other programs")
}
