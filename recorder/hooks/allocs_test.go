package hooks

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// TestRecordingAllocatesNothing compares how many objects operations allocate:
// there are tests that count them, also of an operation that is done once.
func TestRecordingAllocatesNothing(t *testing.T) {
	wanted, got := allocs(t, ""), allocs(t, "record;trace=$DIR/trace")
	require.Len(t, wanted, 37)
	for name, plain := range wanted {
		recorded := got[name]
		assert.Equal(t, plain.each, recorded.each, name)
		// Whether the runtime has a goroutine's record left is not the same in each run.
		assert.LessOrEqual(t, recorded.once, plain.once+1, "%s, once", name)
	}
}

// A count is how many objects an operation allocates when it is done once, and then on average.
type count struct{ once, each int }

// allocs returns how many objects each operation of the self-test allocates.
func allocs(t *testing.T, mode string) map[string]count {
	_, out, err := run(t, mode, "^TestAllocs$", "ALLOCS=1")
	require.NoError(t, err, out)
	objects := map[string]count{}
	for line := range strings.Lines(out) {
		var name string
		var n count
		if got, _ := fmt.Sscan(line, &name, &n.once, &n.each); got == 3 {
			objects[name] = n
		}
	}
	return objects
}

// Runs that repeat another one tell what their goroutines have made; others do not.
func TestAllocationsAreLogged(t *testing.T) {
	made := func(mode string) (types map[string][]uint32) {
		dir, out, err := run(t, mode+";trace=$DIR/trace", "^TestMakesObjects$")
		require.NoError(t, err, out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		types = make(map[string][]uint32)
		for _, a := range tr.Allocations {
			name := tr.Goroutines[a.G].Name()
			types[name] = append(types[name], a.Type)
		}
		return types
	}
	require.Empty(t, made("record"))
	types := made("record;brief")
	require.Len(t, types["TestMakesObjects:0.1"], 2, types)
	require.Equal(t, types["TestMakesObjects:0.1"], types["TestMakesObjects:0.2"])
	require.NotEqual(t, types["TestMakesObjects:0.1"][0], types["TestMakesObjects:0.1"][1])
}
