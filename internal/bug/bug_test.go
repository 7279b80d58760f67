package bug

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each kind and each effect has a row of its own, and no row lacks its words.
func TestTables(t *testing.T) {
	ranks := make(map[int]Kind)
	for _, k := range Kinds() {
		assert.NotContains(t, ranks, k.Rank(), k)
		ranks[k.Rank()] = k
		assert.NotEmpty(t, k.Title(2), k)
		assert.NotEmpty(t, k.Help(), k)
		assert.True(t, k.Legend(2) != "" || k.InOrder(), "%s: nothing says what its marked steps are", k)
	}
	harms := make(map[int]Effect)
	for _, e := range []Effect{NoEffect, Leaks, TestFailure, Blocks, Panic} {
		assert.NotContains(t, harms, e.Severity(), e)
		harms[e.Severity()] = e
		assert.NotEmpty(t, e.Text(), e)
	}
	assert.Zero(t, NoEffect.Severity())
}

// What fails a run by default.
func TestGating(t *testing.T) {
	assert.Equal(t, []Kind{Deadlock, Channel, WaitGroup, Failure, Race, Property}, GatingKinds())
}

// A report or witness of another version may have words that are not known here.
func TestUnknownWords(t *testing.T) {
	k := Kind("livelock")
	assert.Equal(t, "LIVELOCK", k.Title(2))
	assert.Equal(t, len(Kinds()), k.Rank())
	assert.Equal(t, Simultaneous, k.ProofOf(1))
	assert.False(t, k.Gates())
	assert.Zero(t, Effect("warps").Severity())
}
