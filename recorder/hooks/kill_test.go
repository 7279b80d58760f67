package hooks

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// inMemory is how many events a killed program may take with it: those in the
// slots of package predictrt.
const inMemory = 4 * 32 << 10

// A program that is killed at any moment leaves a trace that reads, that says
// that it is not complete, and that lacks no more than was still in memory.
func TestKilledLeavesTrace(t *testing.T) {
	for range 20 {
		counted, recorded := endAfter(t, syscall.SIGKILL, 1+rand.IntN(200))
		require.GreaterOrEqual(t, recorded, counted-inMemory)
	}
}

// One that is told to end lacks nothing, even if the thread that writes the trace
// has hardly begun.
func TestEndedLeavesWholeTrace(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT} {
		for range 5 {
			for _, lines := range []int{1, 1 + rand.IntN(200)} {
				counted, recorded := endAfter(t, sig, lines)
				require.GreaterOrEqual(t, recorded, counted, sig)
			}
		}
	}
}

// endAfter runs the self-test that counts, ends it by a signal after it has printed
// so many lines, and returns how far it has counted and how far its trace has.
func endAfter(t *testing.T, sig syscall.Signal, lines int) (counted, recorded int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	counted = countUntil(t, sig, file, lines)
	tr, err := trace.ReadFile(file)
	require.NoError(t, err)
	require.False(t, tr.Complete)
	tr.AddSites(sites)
	require.NoError(t, trace.Validate(tr))
	for _, e := range tr.Events {
		if e.Kind == trace.AtomicRMW && e.Site == sites[3].ID {
			require.Equal(t, uint64(recorded+1), e.Val, "no event is missing in between")
			recorded++
		}
	}
	return counted, recorded
}

// countUntil is the run of endAfter.
func countUntil(t *testing.T, sig syscall.Signal, file string, lines int) (counted int) {
	t.Helper()
	cmd := selftest(t, "local", "-test.run", "^TestLong$")
	cmd.Env = append(os.Environ(), "LONG=1", "GOPREDICT_RT=record;trace="+file)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	handled := make(chan os.Signal, 1) // what this process ignores, as a shell's background job does, the other one would, too
	signal.Notify(handled, sig)
	defer signal.Stop(handled)
	require.NoError(t, cmd.Start())
	scan := bufio.NewScanner(out)
	for range lines {
		require.True(t, scan.Scan())
	}
	require.NoError(t, cmd.Process.Signal(sig))
	for ok := true; ok; ok = scan.Scan() {
		if n, err := strconv.Atoi(scan.Text()); err == nil { // the last line may be cut off
			counted = max(counted, n)
		}
	}
	cmd.Wait()
	return counted
}
