// Package asserted has one of each assertion that is known. The comments have what it
// asserts, of what was read.
package asserted

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type box struct {
	n, m int
	on   bool
	name string
	list []int
	next *box
	err  error
	all  map[string]int
}

var errFull = errors.New("full")

// Fill and Leave make that others may write everything.
func Fill(b, next *box) {
	*b = box{1, 2, true, "a", []int{1}, next, errFull, map[string]int{"a": 1}}
	go Leave(b)
}

func Leave(b *box) {
	b.n, b.m, b.on, b.name, b.list, b.next, b.err, b.all = 0, 0, false, "", nil, nil, nil, nil
}

func Numbers(t *testing.T, b *box) {
	assert.Equal(t, 2, b.n)                                  // (= 2 n)
	require.Equalf(t, b.n, b.m, "both")                      // (= n m)
	assert.New(t).EqualValues(2, b.n)                        // (= 2 n)
	require.New(t).EqualValuesf(2, b.n, "n")                 // (= 2 n)
	assert.Exactly(t, 2, b.n)                                // (= 2 n)
	require.Exactlyf(t, 2, b.n, "n")                         // (= 2 n)
	assert.New(t).NotEqual(2, b.n)                           // (not (= 2 n))
	require.New(t).NotEqualf(2, b.n, "n")                    // (not (= 2 n))
	assert.Greater(t, b.n, b.m)                              // (< m n)
	require.Greaterf(t, b.n, 2, "n")                         // (< 2 n)
	assert.New(t).GreaterOrEqual(b.n, b.m)                   // (<= m n)
	require.New(t).GreaterOrEqualf(b.n, 2, "n")              // (<= 2 n)
	assert.Less(t, b.n, b.m)                                 // (< n m)
	require.Lessf(t, b.n, 2, "n")                            // (< n 2)
	assert.New(t).LessOrEqual(b.n, b.m)                      // (<= n m)
	require.New(t).LessOrEqualf(b.n, 2, "n")                 // (<= n 2)
	assert.True(t, b.on)                                     // on
	require.Truef(t, b.n > 2, "n")                           // (< 2 n)
	assert.New(t).False(b.on)                                // (not on)
	require.New(t).Falsef(b.n == 2, "n")                     // (not (= n 2))
	assert.Zero(t, b.n)                                      // (= n 0)
	require.Zerof(t, b.name, "name")                         // (= name 0)
	assert.New(t).NotZero(b.n)                               // (not (= n 0))
	require.New(t).NotZerof(b.next, "next")                  // (not (= next 0))
	assert.Positive(t, b.n)                                  // (< 0 n)
	require.New(t).Positivef(b.n, "n")                       // (< 0 n)
	assert.New(t).Negative(b.n)                              // (< n 0)
	require.Negativef(t, b.n, "n")                           // (< n 0)
	assert.InDelta(t, 2, b.n, 1, "of this nothing is known") // -
}

func Others(t *testing.T, b *box) {
	assert.Nil(t, b.next)                                     // (= next 0)
	require.Nilf(t, b.err, "err")                             // (= err 0)
	assert.New(t).NotNil(b.next)                              // (not (= next 0))
	require.New(t).NotNilf(b.err, "err")                      // (not (= err 0))
	assert.Empty(t, b.name)                                   // (= name 0)
	require.Emptyf(t, b.list, "list")                         // (= list 0)
	assert.New(t).NotEmpty(b.name)                            // (not (= name 0))
	require.New(t).NotEmptyf(b.list, "list")                  // (not (= list 0))
	assert.Len(t, b.list, 2)                                  // (= list 2)
	require.New(t).Lenf(b.list, 2, "list")                    // (= list 2)
	assert.NoError(t, b.err)                                  // (= err 0)
	require.New(t).NoErrorf(b.err, "err")                     // (= err 0)
	assert.New(t).Error(b.err)                                // (not (= err 0))
	require.Errorf(t, b.err, "err")                           // (not (= err 0))
	assert.ErrorIs(t, b.err, errFull)                         // (= err errFull)
	require.New(t).ErrorIsf(b.err, errFull, "err")            // (= err errFull)
	assert.New(t).NotErrorIs(b.err, errFull)                  // (not (= err errFull))
	require.NotErrorIsf(t, b.err, errFull, "err")             // (not (= err errFull))
	assert.Equal(t, (*box)(nil), b.next)                      // (= 0 next)
	assert.Equal(t, b, b.next, "their contents are compared") // -
	assert.Equal(t, errFull, b.err, "likewise")               // -
	assert.Equal(t, b.all, b.next.all, "likewise")            // -
	assert.Nil(t, b.list, "it may be empty and not nil")      // -
	assert.Equal(t, b.list, b.list, "contents, not lengths")  // -
}
