package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A run in which nothing can move any more is ended, and tells who waits where.
func TestRunEndsWhenNothingCanMove(t *testing.T) {
	for _, c := range []struct {
		stuck string
		want  []string // goroutines, and the operations in which they wait
	}{
		{"locks", []string{"TestStuck:0 wgwait", "TestStuck:0.1 acq", "TestStuck:0.2 acq"}},
		{"subtest", []string{"TestStuck:0.1 select"}},
		{"signal", []string{"TestStuck:0 acq"}},
		{"context", []string{"TestStuck:0 recv"}},
		{"ticker", []string{"TestStuck:0 recv"}},
		{"accept", []string{"TestStuck:0 recv"}},
		{"read", []string{"TestStuck:0 wgwait"}},
	} {
		for _, toolchain := range toolchains {
			dir, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace", "^TestStuck$", "STUCK="+c.stuck)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, out)
			require.Equal(t, 2, exit.ExitCode(), out)
			require.Contains(t, out, "logged before")
			require.Contains(t, out, "--- FAIL: TestStuck (")
			require.Contains(t, out, "fatal error: all goroutines are asleep - deadlock!")
			tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
			require.NoError(t, err)
			require.NoError(t, trace.Validate(tr))
			var got []string
			for _, s := range tr.Blocked {
				g := tr.Goroutines[s.G]
				require.NotEmpty(t, s.Stack)
				if (c.stuck == "context" || c.stuck == "ticker") && s.Proof == trace.ProofLingering {
					continue // a signal would wake it, or a timer does
				}
				require.Equal(t, trace.ProofDeadlock, s.Proof)
				got = append(got, g.Name()+" "+s.Op.String())
			}
			slices.Sort(got)
			require.Equal(t, c.want, got)
		}
	}
}

// What waits for a timer, a child, a signal or another end is not ended.
func TestRunGoesOnWhileSomethingCanCome(t *testing.T) {
	for _, then := range []string{"timer", "ticker", "child", "pipe", "signal"} {
		dir, out, err := run(t, "record;trace=$DIR/trace", "^TestRaceThenWait$", "THEN="+then)
		require.NoError(t, err, "%s: %s", then, out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		require.Empty(t, tr.Blocked, then)
	}
}

// Where timers do something again and again, the run ends with its tests' time, as without us. That
// they have waited all the time is what the trace says.
func TestRunThatTurnsRoundEndsWithItsTime(t *testing.T) {
	cmd := selftest(t, "local", "-test.run=^TestStuck$", "-test.timeout=1500ms")
	file := filepath.Join(t.TempDir(), "trace")
	cmd.Env = append(os.Environ(), "STUCK=turns", "GOPREDICT_RT=record;trace="+file)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "panic: test timed out after 1.5s")
	tr, err := trace.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, tr.Blocked, 1)
	require.Equal(t, "TestStuck:0", tr.Goroutines[tr.Blocked[0].G].Name())
	require.Equal(t, trace.ProofDeadlock, tr.Blocked[0].Proof)
}

// Where timers alone go on, the rest of the time passes at once, whether it leads to something or not.
func TestRunHastensWhatOnlyTimersDo(t *testing.T) {
	for stuck, want := range map[string]string{"turns": "PASS", "round": "panic: test timed out after 5m0s"} {
		cmd := selftest(t, "local", "-test.run=^TestStuck$", "-test.timeout=5m")
		file := filepath.Join(t.TempDir(), "trace")
		cmd.Env = append(os.Environ(), "STUCK="+stuck, "GOPREDICT_RT=record;trace="+file)
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		require.Equal(t, want == "PASS", err == nil, "%s: %s", stuck, out)
		require.Contains(t, string(out), want)
		require.Less(t, time.Since(begun), time.Minute)
		tr, err := trace.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, trace.Validate(tr))
	}
}

// A run that repeats another one has the time of that one's tests by its clock, and takes none.
func TestBriefRunHasTheTestsTime(t *testing.T) {
	const deadlock = "fatal error: all goroutines are asleep - deadlock!"
	for _, c := range []struct{ stuck, mode, want string }{
		{"late", "record", deadlock},
		{"late", "record;brief", deadlock},
		{"late", "record;brief;tests=7200000000000", "PASS"},
		{"beside", "record;brief", deadlock},
		{"turns", "record;brief", "PASS"},
		{"round", "record;brief", deadlock},
		{"round", "record;brief;tests=600000000000", deadlock},
	} {
		cmd := selftest(t, "local", "-test.run=^TestStuck$", "-test.timeout=5m")
		cmd.Env = append(os.Environ(), "STUCK="+c.stuck, "GOPREDICT_RT="+c.mode+";trace="+filepath.Join(t.TempDir(), "trace"))
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		require.Equal(t, c.want == "PASS", err == nil, "%v: %s", c, out)
		require.Contains(t, string(out), c.want, c)
		require.Less(t, time.Since(begun), time.Minute)
	}
}

// Of what a test leaves behind, that is a leak which nothing alive can reach, nor what may
// come alive by a timer or a finalizer.
func TestRunTellsLeaks(t *testing.T) {
	for _, toolchain := range toolchains {
		tr := recordBuilt(t, toolchain, "^TestLeaks$")
		got := make(map[string]trace.Proof)
		for _, s := range tr.Blocked {
			got[tr.Goroutines[s.G].Name()] = s.Proof
			if s.G == asked(tr) {
				require.Equal(t, "TestLeaks", s.StartedBy.Func[strings.LastIndexByte(s.StartedBy.Func, '.')+1:])
				require.Equal(t, "stuck_test.go", filepath.Base(s.StartedBy.File))
			} else {
				require.Zero(t, s.StartedBy)
			}
		}
		want := make(map[string]trace.Proof)
		for _, path := range []string{"1", "3", "6", "8", "10", "12", "14.1", "propagateCancel-1"} {
			want["TestLeaks:0."+path] = trace.ProofLeak
		}
		for _, path := range []string{"2", "5", "7", "9", "13"} {
			want["TestLeaks:0."+path] = trace.ProofLingering
		}
		require.Equal(t, want, got)
	}
}

// A goroutine that only its own timers wake is a leak if nothing else can reach its way out, and if it
// still turns round after some time, which passes in runs that repeat another one.
func TestRunTellsWhatTurnsForEver(t *testing.T) {
	lingering := []string{"1", "2", "3", "6", "7", "8", "10"}
	for mode, leaks := range map[string][]string{"record": nil, "record;brief": {"1", "7", "8"}} {
		dir, out, err := run(t, mode+";trace=$DIR/trace", "^TestTurns$")
		require.NoError(t, err, out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		require.NoError(t, trace.Validate(tr))
		want := make(map[string]trace.Proof)
		for _, path := range lingering {
			if want[path] = trace.ProofLingering; slices.Contains(leaks, path) {
				want[path] = trace.ProofLeak
			}
		}
		if leaks != nil {
			delete(want, "3") // has ended
		}
		got := make(map[string]trace.Proof)
		for _, s := range tr.Blocked {
			if path := strings.TrimPrefix(tr.Goroutines[s.G].Path, "0."); path != "4" {
				got[path] = s.Proof
			}
		}
		require.Equal(t, want, got, mode)
	}
}

// asked is the goroutine that the standard library has started.
func asked(t *trace.Trace) trace.GID {
	k := slices.IndexFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Path == "0.propagateCancel-1" })
	return t.Goroutines[k].ID
}

// Where time passes at once, it does so for what a test has left behind, too: it may block then.
func TestBriefRunTellsLaterLeaks(t *testing.T) {
	for mode, want := range map[string][]string{"record": nil, "record;brief": {"TestLeaksLater:0.1"}} {
		dir, out, err := run(t, mode+";trace=$DIR/trace", "^TestLeaksLater$")
		require.NoError(t, err, out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		var leaks []string
		for _, s := range tr.Blocked {
			if s.Proof == trace.ProofLeak {
				leaks = append(leaks, tr.Goroutines[s.G].Name())
			}
		}
		require.Equal(t, want, leaks, mode)
	}
}
