package hooks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordingAllocatesNothing compares how many objects operations allocate:
// there are tests that count them. What a timer calls goes through a closure of
// the library, which holds what links the two.
func TestRecordingAllocatesNothing(t *testing.T) {
	wanted := allocs(t, "")
	require.Len(t, wanted, 27)
	wanted["afterfunc"] += 3
	wanted["timeout"] += 3
	require.Equal(t, wanted, allocs(t, "record;trace=$DIR/trace"))
}

// allocs returns how many objects each operation of the self-test allocates.
func allocs(t *testing.T, mode string) map[string]int {
	_, out, err := run(t, mode, "^TestAllocs$", "ALLOCS=1")
	require.NoError(t, err, out)
	objects := map[string]int{}
	for line := range strings.Lines(out) {
		var name string
		var n int
		if got, _ := fmt.Sscan(line, &name, &n); got == 2 {
			objects[name] = n
		}
	}
	return objects
}
