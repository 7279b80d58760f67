package hooks

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Assembly may use the frame pointer for anything. Stacks are followed nevertheless, and each event
// has the line of the program.
func TestAssemblyUsesFramePointer(t *testing.T) {
	tr := record(t, "^TestAssembly$")
	locks := map[string]int{} // by function
	for _, e := range tr.Events {
		if at := tr.Sites[e.Site]; e.Kind == trace.RAcquire && filepath.Base(at.File) == "assembly_test.go" {
			locks[at.Func]++
		}
	}
	const values = 8 // of the register
	assert.Equal(t, map[string]int{
		"selftest.event":                  12 * values,
		"selftest.assemblyReturns":        values,
		"selftest.assemblyNested.func1.1": values,
	}, locks)
}
