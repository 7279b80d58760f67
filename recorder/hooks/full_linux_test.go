package hooks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/predictrt"
)

// A program whose disk is full does as ever, and says so beside the trace.
func TestFullDiskIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.Symlink("/dev/full", file))
	cmd := selftest(t, "local", "-test.run", "^TestLate$")
	cmd.Env = append(os.Environ(), "GOPREDICT_RT=record;trace="+file)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, file+predictrt.Unwritten)
}

func TestWaitsTakeRealTime(t *testing.T) { record(t, "^TestWaits$", "WAITS=1") }

// What a system call waits for, and not the time that it takes, lets others run.
func TestLongSystemCalls(t *testing.T) { eachRelease(t, testLongSystemCalls) }

func testLongSystemCalls(t *testing.T, toolchain string) {
	_, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace", "^TestLongSystemCalls$")
	require.NoError(t, err, out)
	require.Contains(t, out, "order: computes other other waits\n")
}
