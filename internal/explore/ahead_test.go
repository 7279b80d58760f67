package explore

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder"
)

// Each trace is analyzed before its package has its turn, once there is room for it: short ones together, and
// one that is long beside them.
func TestAhead(t *testing.T) {
	room := runtime.GOMAXPROCS(0) * shortBytes
	var runs []recorder.Run
	for _, size := range []int{1, room, room / 2, room + 1, room/2 + 1, 2 * room, 0, room} {
		file := filepath.Join(t.TempDir(), "trace")
		require.NoError(t, os.WriteFile(file, make([]byte, size), 0o600))
		runs = append(runs, recorder.Run{Trace: file})
	}
	runs = append(runs, recorder.Run{})
	x := &Exploration{build: new(recorder.Build)}
	x.Ahead(t.Context(), runs)
	for k, run := range runs {
		p := x.ahead.of(t.Context(), run)
		assert.Equal(t, k != 8, p != nil, k)
		if k == 3 || k == 5 {
			assert.Len(t, x.ahead.long, 1)
		}
		x.ahead.over(run)
	}
	assert.Empty(t, x.ahead.held)
	assert.Empty(t, x.ahead.long)
}
