package recorder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestAgain(t *testing.T) {
	wrapper := script(t, `shift; V=wrapped exec "$@"`)
	for exit, want := range map[string]Result{"0": Pass, "1": Fail} {
		dir := t.TempDir()
		file := filepath.Join(dir, "trace")
		bin := script(t, `pwd >said; echo "$1 $V $GOPREDICT_RT" >>said; echo nobody sees it; : >trace; exit `+exit)
		first := Run{Package: Package{Path: "p", Dir: dir}, Binary: bin, Args: []string{"-test.v"}, Env: os.Environ(), ExecCommand: []string{wrapper, "x"}}
		again, err := first.RecordAgain(t.Context(), RandomOrder(3), []string{"-test.run=^TestX$"}, file, time.Minute)
		require.NoError(t, err)
		assert.Equal(t, want, again.Result)
		assert.Equal(t, file, again.Trace)
		assert.Equal(t, RandomOrder(3), again.Order)
		said, err := os.ReadFile(filepath.Join(dir, "said"))
		require.NoError(t, err)
		assert.Equal(t, dir+"\n-test.run=^TestX$ wrapped record;trace="+file+limited+";order=seed3;brief;tests=600000000000\n", string(said))
	}
}

func TestParseOrder(t *testing.T) {
	for _, o := range []Order{NewestFirst, OldestFirst, ChildFirst, NonPreemptive, RandomOrder(3), OtherChance(2), POS(12), PCT(7, 3, 120)} {
		parsed, err := ParseOrder(string(o))
		assert.NoError(t, err)
		assert.Equal(t, o, parsed)
	}
	for _, o := range []Order{"newest", RandomOrder(0), "seed01", POS(-1), "pos", PCT(1, 0, 5), PCT(1, MaxDepth+1, 5), PCT(1, 2, 0), "pct7", "pct1/2/3x"} {
		_, err := ParseOrder(string(o))
		assert.ErrorContains(t, err, "as an order of goroutines", o)
	}
}

// The steps of a test count from where it has several goroutines, those of others do not.
func TestSteps(t *testing.T) {
	of := &trace.Trace{
		Goroutines: []trace.Goroutine{{Test: "TestX"}, {Test: "TestX"}, {Test: "TestY"}},
		Events: []trace.Event{
			{Kind: trace.Write}, {Kind: trace.Fork, Obj: 1}, {Kind: trace.Write, G: 2},
			{Kind: trace.Begin, G: 1}, {Kind: trace.Send, G: 1}, {Kind: trace.SendDone, G: 1},
		},
	}
	assert.Equal(t, 3, PCTSteps(of, "TestX"))
	assert.Equal(t, 1, PCTSteps(of, "TestY"))
}

func TestAgainEnds(t *testing.T) {
	dir := t.TempDir()
	r, err := Run{Package: Package{Dir: dir}, Binary: script(t, "while :; do :; done")}.RecordAgain(t.Context(), NewestFirst, nil, filepath.Join(dir, "trace"), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, Fail, r.Result)
	assert.Empty(t, r.Trace)
}
