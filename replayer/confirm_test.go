package replayer

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func confirm(t *testing.T, opts Options, lines ...string) Result {
	t.Helper()
	w, code := sample()
	r, err := Confirm(t.Context(), fake(t, lines...), w, code, opts)
	require.NoError(t, err)
	return r
}

func TestConfirmPicksTheWorseOrder(t *testing.T) {
	r := confirm(t, Options{}, append(stands,
		"01? print --- FAIL: TestX (0.00s)", "01? exit 1", "10? print panic: boom", "10? exit 2")...)
	assert.Equal(t, Confirmed, r.Status)
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, Panic, r.Effect)
	assert.Equal(t, []string{"panic: boom"}, r.Detail)
	assert.Equal(t, [2]int{2, 2}, [2]int{r.Replays, r.Reproduced})
}

func TestConfirmPrefersTheFirstOrder(t *testing.T) {
	r := confirm(t, Options{}, stands...)
	assert.Equal(t, Result{Status: Confirmed, Order: "01", Effect: NoEffect, Replays: 2, Reproduced: 2, Verdicts: r.Verdicts, Witness: r.Witness}, r)
}

func TestConfirmNeedsEveryReplay(t *testing.T) {
	r := confirm(t, Options{}, append([]string{"10? verdict left lost its way", "10? exit 0"}, stands...)...)
	assert.Equal(t, Unconfirmed, r.Status)
	assert.Equal(t, "stood at the violation in 1 of 2 replays only; else: lost its way", r.Reason)
	assert.Equal(t, [2]int{2, 1}, [2]int{r.Replays, r.Reproduced})
}

func TestConfirmStopsAfterTheFirstMiss(t *testing.T) {
	r := confirm(t, Options{}, "verdict steps 0 3", "verdict left lost its way", "verdict end")
	assert.Equal(t, Unconfirmed, r.Status)
	assert.Equal(t, "lost its way", r.Reason)
	assert.Equal(t, [2]int{1, 0}, [2]int{r.Replays, r.Reproduced})
}

func TestConfirmStale(t *testing.T) {
	w, code := sample()
	_, err := Confirm(t.Context(), fake(t), w, Code{Sites: code.Sites[:1]}, Options{})
	assert.ErrorIs(t, err, ErrStale)
}

func TestRepeat(t *testing.T) {
	w, code := sample()
	w.Order = "10"
	file := filepath.Join(t.TempDir(), "trace")
	r, err := Repeat(t.Context(), fake(t, append(stands, "trace x", "10? print panic: boom", "10? exit 2")...), w, code, 5, Options{Trace: file})
	require.NoError(t, err)
	assert.Equal(t, Confirmed, r.Status)
	assert.Equal(t, Panic, r.Effect)
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, [2]int{5, 5}, [2]int{r.Replays, r.Reproduced})
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data), "recorded once")
}
