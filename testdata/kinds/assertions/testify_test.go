package assertions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEqual(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	assert.Equal(t, 2, s.getN()) // confirmed
}

func TestEqualValues(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	require.EqualValuesf(t, 2, s.getN(), "after %s", "both") // confirmed
}

func TestExactly(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	assert.New(t).Exactlyf(2, s.getN(), "after %s", "both") // confirmed
}

func TestNotEqual(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	require.New(t).NotEqual(1, s.getN()) // confirmed
}

func TestGreater(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	assert.Greater(t, s.getN(), 1) // confirmed
}

func TestGreaterOrEqual(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	require.GreaterOrEqualf(t, s.getN(), 2, "after %s", "both") // confirmed
}

func TestLess(t *testing.T) {
	var s state
	inTurn(func() { s.setN(2) }, func() { s.setN(1) })
	assert.New(t).Lessf(s.getN(), 2, "after %s", "both") // confirmed
}

func TestLessOrEqual(t *testing.T) {
	var s state
	inTurn(func() { s.setN(2) }, func() { s.setN(1) })
	require.New(t).LessOrEqual(s.getN(), 1) // confirmed
}

func TestTrue(t *testing.T) {
	var s state
	inTurn(func() { s.setOn(false) }, func() { s.setOn(true) })
	assert.True(t, s.isOn()) // confirmed
}

func TestFalse(t *testing.T) {
	var s state
	inTurn(func() { s.setOn(true) }, func() { s.setOn(false) })
	require.Falsef(t, s.isOn(), "after %s", "both") // confirmed
}

func TestNil(t *testing.T) {
	var s state
	inTurn(func() { s.setNext(&s) }, func() { s.setNext(nil) })
	assert.New(t).Nilf(s.getNext(), "after %s", "both") // confirmed
}

func TestNotNil(t *testing.T) {
	var s state
	inTurn(func() { s.setNext(nil) }, func() { s.setNext(&s) })
	require.New(t).NotNil(s.getNext()) // confirmed
}

func TestZero(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(0) })
	assert.Zero(t, s.getN()) // confirmed
}

func TestNotZero(t *testing.T) {
	var s state
	inTurn(func() { s.setN(0) }, func() { s.setN(1) })
	require.NotZerof(t, s.getN(), "after %s", "both") // confirmed
}

func TestEmpty(t *testing.T) {
	var s state
	inTurn(func() { s.setName("a") }, func() { s.setName("") })
	assert.New(t).Emptyf(s.getName(), "after %s", "both") // confirmed
}

func TestNotEmpty(t *testing.T) {
	var s state
	inTurn(func() { s.setName("") }, func() { s.setName("a") })
	require.New(t).NotEmpty(s.getName()) // confirmed
}

func TestLen(t *testing.T) {
	var s state
	inTurn(func() { s.with(func() { s.list = nil }) }, func() { s.with(func() { s.list = append(s.list, 1) }) })
	assert.Len(t, s.list, 1) // confirmed
}

func TestNoError(t *testing.T) {
	var s state
	inTurn(func() { s.setErr(errFailed) }, func() { s.setErr(nil) })
	require.NoErrorf(t, s.getErr(), "after %s", "both") // confirmed
}

func TestError(t *testing.T) {
	var s state
	inTurn(func() { s.setErr(nil) }, func() { s.setErr(errFailed) })
	assert.New(t).Errorf(s.getErr(), "after %s", "both") // confirmed
}

func TestErrorIs(t *testing.T) {
	var s state
	inTurn(func() { s.setErr(nil) }, func() { s.setErr(errFailed) })
	require.New(t).ErrorIs(s.getErr(), errFailed) // confirmed
}

func TestNotErrorIs(t *testing.T) {
	var s state
	inTurn(func() { s.setErr(errFailed) }, func() { s.setErr(nil) })
	assert.NotErrorIs(t, s.getErr(), errFailed) // confirmed
}

func TestPositive(t *testing.T) {
	var s state
	inTurn(func() { s.setN(-1) }, func() { s.setN(1) })
	require.Positivef(t, s.getN(), "after %s", "both") // confirmed
}

func TestNegative(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(-1) })
	assert.New(t).Negativef(s.getN(), "after %s", "both") // confirmed
}
