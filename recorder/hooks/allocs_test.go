package hooks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
