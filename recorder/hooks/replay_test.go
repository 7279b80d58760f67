package hooks

import (
	"fmt"
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

// firstStep is the line of a plan for the first event of that kind that a goroutine has in a
// recorded run, whose number in the plan is given.
func firstStep(t *testing.T, tr *trace.Trace, goroutine int, name string, kind trace.Kind) string {
	t.Helper()
	for _, e := range tr.Events {
		if e.Kind == kind && tr.Goroutines[e.G].Name() == name {
			return fmt.Sprintf("s %d %d %d 1\n", goroutine, kind, tr.Sites[e.Site].Key)
		}
	}
	t.Fatalf("expected an event %s of %s", kind, name)
	return ""
}

// racePlan makes both goroutines of TestRace stand at their accesses. The
// lines of the steps come from a recorded run.
func racePlan(t *testing.T, tr *trace.Trace, order string) string {
	return "gopredict-plan 1\norder " + order + "\ntest TestRace\n" +
		"g 0 TestRace:0\ng 1 TestRace:0.1\ng 2 TestRace:0.2\n" +
		firstStep(t, tr, 0, "TestRace:0", trace.Fork) +
		firstStep(t, tr, 2, "TestRace:0.2", trace.Begin) +
		firstStep(t, tr, 2, "TestRace:0.2", trace.Acquire) +
		firstStep(t, tr, 2, "TestRace:0.2", trace.Release) +
		firstStep(t, tr, 1, "TestRace:0.1", trace.Begin) +
		fmt.Sprintf("v 1 %d %d 1\n", trace.Write, 1<<31|1) +
		fmt.Sprintf("v 2 %d %d 1\n", trace.Read, 1<<31|2)
}

// replay runs TestRace under a plan and returns its output and verdict.
func replay(t *testing.T, plan string) (output string, verdict []string) {
	t.Helper()
	return replayOf(t, "^TestRace$", plan)
}

func replayOf(t *testing.T, pattern, plan string, env ...string) (output string, verdict []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", pattern, env...)
	require.NoError(t, err, out)
	text, err := os.ReadFile(filepath.Join(dir, "verdict"))
	require.NoError(t, err)
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	tr.AddSites(sites)
	require.NoError(t, trace.Validate(tr))
	return out, strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestReplayConfirmsInBothOrders(t *testing.T) {
	tr := record(t, "^TestRace$")
	for range 10 {
		out, verdict := replay(t, racePlan(t, tr, "01"))
		require.Contains(t, verdict, "confirmed")
		require.Equal(t, "end", verdict[len(verdict)-1])
		require.Contains(t, out, "read 1")
		out, verdict = replay(t, racePlan(t, tr, "10"))
		require.Contains(t, verdict, "confirmed")
		require.Contains(t, out, "read 0")
	}
}

// A parallel test begins when the schedule goes on with it, where package testing would let it
// wait for others.
func TestReplayBeginsParallelTests(t *testing.T) {
	for order, read := range map[string]string{"01": "read 1", "10": "read 0"} {
		out, verdict := replayOf(t, "^TestRaceOfSubtests$", "gopredict-plan 1\norder "+order+"\ntest TestRaceOfSubtests\n"+
			"g 0 TestRaceOfSubtests:0.1\ng 1 TestRaceOfSubtests:0.2\n"+
			fmt.Sprintf("v 0 %d %d 1\nv 1 %d %d 1\n", trace.Write, 1<<31|1, trace.Read, 1<<31|2), "GOMAXPROCS=1")
		require.Contains(t, verdict, "confirmed")
		require.Contains(t, out, read)
	}
}

func TestReplayLeavesWhenStuck(t *testing.T) {
	tr := record(t, "^TestRace$")
	plan := racePlan(t, tr, "01") + fmt.Sprintf("s 0 %d %d 1\n", trace.Send, 1<<31|9)
	_, verdict := replay(t, plan)
	require.Contains(t, verdict, "left no goroutine can go on, the schedule waits for TestRace:0 at step 6")
	require.Contains(t, verdict, "steps 5 6")
	all := strings.Join(verdict, "\n")
	require.Contains(t, all, "blocked TestRace:0 ")
	require.Contains(t, all, "blocked TestRace:0.1 waits_for_its_violation selftest.TestRace.func1 ")
	require.NotContains(t, verdict, "confirmed")
}

func TestReplayLeavesWhenAstray(t *testing.T) {
	tr := record(t, "^TestRace$")
	plan := racePlan(t, tr, "01")
	// Goroutine 1 would have to lock before it writes, which it does not.
	plan = strings.Replace(plan, "v 1", fmt.Sprintf("s 1 %d %d 1\nv 1", trace.Acquire, 1<<31|9), 1)
	_, verdict := replay(t, plan)
	all := strings.Join(verdict, "\n")
	require.Regexp(t, `left TestRace:0\.1 is at write race_test\.go:\d+ \(1st time\), the schedule expects it at step 6`, all)
	require.NotContains(t, verdict, "confirmed")
}

// How often the standard library accesses memory in a call may differ: what it does not
// do is skipped, where others wait for it and at a goroutine's end, too.
func TestReplaySkipsWhatStdLeavesOut(t *testing.T) {
	tr := record(t, "^TestRace$")
	plan := racePlan(t, tr, "01")
	inside := func(goroutine int, kind trace.Kind, occ int) string {
		return fmt.Sprintf("s %d %d %d %d\n", goroutine, kind, uint64(1<<63|9), occ)
	}
	plan = strings.Replace(plan, "s 2 ", inside(0, trace.Read, 3)+inside(2, trace.Write, 1)+"s 2 ", 1)
	plan = strings.Replace(plan, "v 1 ", inside(1, trace.Read, 1)+inside(1, trace.Write, 2)+"v 1 ", 1)
	plan = strings.Replace(plan, "v 2 ", inside(2, trace.Read, 1)+"v 2 ", 1)
	_, verdict := replay(t, plan)
	require.Contains(t, verdict, "confirmed")
	require.Contains(t, verdict, "steps 10 10")
}

func TestReplayRefusesOtherMemory(t *testing.T) {
	tr := record(t, "^TestRace$")
	plan := racePlan(t, tr, "01")
	plan = strings.Replace(plan, fmt.Sprintf("v 2 %d %d 1\n", trace.Read, 1<<31|2), "", 1) +
		fmt.Sprintf("v 0 %d %d 1\n", trace.WaitGroupWait, waitKey(tr))
	_, verdict := replay(t, plan)
	require.Contains(t, strings.Join(verdict, "\n"), "left the two accesses do not collide")
}

// A program that can do nothing more after the violation is ended at once; one
// that waits for something is left alone.
func TestReplayEndsADeadlock(t *testing.T) {
	plan := "gopredict-plan 1\norder 01\ntest TestRaceThenWait\ng 0 TestRaceThenWait:0.1\ng 1 TestRaceThenWait:0.2\n" +
		fmt.Sprintf("v 0 %d %d 1\nv 1 %d %d 1\n", trace.Write, 1<<31|1, trace.Read, 1<<31|2)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	for _, then := range []string{"timer", "ticker", "child", "signal", "nothing"} {
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestRaceThenWait$", "THEN="+then)
		text, readErr := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, readErr)
		verdict := strings.Split(strings.TrimSpace(string(text)), "\n")
		require.Contains(t, verdict, "confirmed", then)
		if then != "nothing" {
			require.NoError(t, err, "%s: %s", then, out)
			require.NotContains(t, verdict, "deadlock", then)
			continue
		}
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 2, exit.ExitCode(), out)
		require.Contains(t, out, "fatal error: all goroutines are asleep - deadlock!")
		n := slices.Index(verdict, "deadlock")
		require.GreaterOrEqual(t, n, 0, "%q", verdict)
		require.Regexp(t, `^blocked TestRaceThenWait:0 chan_receive selftest\.TestRaceThenWait .*race_test\.go:\d+$`, verdict[n+1])
		require.Regexp(t, fmt.Sprintf(`^stuck TestRaceThenWait:0 %d \d+ [0-9a-f]+$`, trace.Recv), verdict[n+2])
		require.Len(t, verdict, n+3, "goroutines that have ended do not wait")
	}
}

// A goroutine that stands at the violation, for two seconds as a debugger
// would have it or while the other one sleeps, does not trip the time-out that
// it would have stopped.
func TestReplayTripsNoTimeout(t *testing.T) {
	plan := "gopredict-plan 1\norder 01\ntest TestGuarded\ng 0 TestGuarded:0.1\ng 1 TestGuarded:0.2\n" +
		fmt.Sprintf("v 0 %d %d 1\nv 1 %d %d 1\n", trace.Write, 1<<31|1, trace.Read, 1<<31|2)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	for _, hold := range []string{"0", "2000000000"} {
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;hold="+hold, "^TestGuarded$")
		verdict, readErr := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, readErr)
		require.Contains(t, string(verdict), "\nconfirmed\n")
		require.NoError(t, err, out)
	}
}

// timerSettings are the values of GODEBUG that say how timers send: the old way went
// with go1.27.
func timerSettings(t *testing.T) []string {
	version := goEnv(t, "").GOVERSION
	if strings.HasPrefix(version, "go1.26") {
		return []string{"", "asynctimerchan=1"}
	}
	return []string{""}
}

// A time-out that the schedule waits for comes, and not after what comes later.
func TestReplayWaitsForTimeout(t *testing.T) {
	for test, goroutine := range map[string]int{"TestTimeoutOfSleeper": 1, "TestTimeoutOfServer": 2} {
		plan := fmt.Sprintf("gopredict-plan 1\norder 01\ntest %s\ng 0 %[1]s:0\ng 1 %[1]s:0.%d\nv 0 %d %d 1\nv 1 %d %d 1\n",
			test, goroutine, trace.Read, 1<<31|2, trace.Write, 1<<31|1)
		file := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
		for _, godebug := range timerSettings(t) {
			dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict", "^"+test+"$", "GODEBUG="+godebug)
			require.NoError(t, err, out)
			verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
			require.NoError(t, err)
			require.Contains(t, string(verdict), "\nconfirmed\n", "%s with GODEBUG=%s", test, godebug)
		}
	}
}

// What a program sleeps passes at once in a replay, also before the first step of its schedule, and in
// a run that is repeated.
func TestReplaySleepsAtOnce(t *testing.T) {
	plan := fmt.Sprintf("gopredict-plan 1\norder 01\ntest TestLongSleep\ng 0 TestLongSleep:0.1\nv 0 %d %d 1\n", trace.Read, 1<<31|2)
	begun := time.Now()
	out, verdict := replayOf(t, "^TestLongSleep$", plan)
	require.Less(t, time.Since(begun), 4*time.Minute)
	require.Contains(t, verdict, "confirmed")
	require.Contains(t, out, "slept for 5m0s")
	_, out, err := run(t, "record;brief;trace=$DIR/trace", "^TestLongSleep$")
	require.NoError(t, err, out)
	require.Less(t, time.Since(begun), 4*time.Minute)
	require.Contains(t, out, "slept for 5m0s")
}

// Who stands before a condition says how it has come out.
func TestReplayTellsTheOutcome(t *testing.T) {
	plan := fmt.Sprintf("gopredict-plan 1\norder 01\ntest TestBranch\ng 0 TestBranch:0\nv 0 %d %d 1\n", trace.Branch, 1<<31|2)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	for then, outcome := range map[string]string{"": "1", "not": "0"} {
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict", "^TestBranch$", "THEN="+then)
		require.NoError(t, err, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), fmt.Sprintf("\nstand TestBranch:0 0 8 %d %s 0\n", trace.Branch, outcome))
	}
}

// A replay that leaves the schedule by what the program has read from outside
// says so.
func TestReplayNamesTheOutside(t *testing.T) {
	read := map[string]string{
		"clock": "the clock", "file": "a file", "network": "from the network", "crypto": "from crypto/rand", "env": "the environment",
	}
	plan := "gopredict-plan 1\norder 01\ntest TestOutside\ng 0 TestOutside:0\n" +
		fmt.Sprintf("s 0 %d %d 1\n", trace.Write, 1<<31|1)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	for what, words := range read {
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict", "^TestOutside$", "OUTSIDE="+what)
		require.NoError(t, err, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), "; it has read "+words+"\n")
	}
}

// waitKey is the place where TestRace waits for its goroutines.
func waitKey(tr *trace.Trace) uint64 {
	for _, e := range tr.Events {
		if e.Kind == trace.WaitGroupWait {
			return tr.Sites[e.Site].Key
		}
	}
	return 0
}

// A replay in which a goroutine polls for what the gate holds back ends soon,
// and one in which it polls for what only time brings goes on.
func TestReplayOfPolling(t *testing.T) {
	for _, how := range []string{"lock", "trylock", "atomic", "atomics", "plain", "select", "gosched", "changes", "sleep"} {
		for after, writer := range map[string]string{"": "0.1", "sleep": "0.2", "timer": "0.2"} {
			plan := "gopredict-plan 1\norder 01\ntest TestPoll\ng 0 TestPoll:0\ng 1 TestPoll:" + writer + "\n" +
				fmt.Sprintf("v 0 %d %d 1\nv 1 %d %d 1\n", trace.Read, 1<<31|2, trace.Write, 1<<31|1)
			file := filepath.Join(t.TempDir(), "plan")
			require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
			dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestPoll$", "POLL="+how, "AFTER="+after)
			require.NoError(t, err, out)
			verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
			require.NoError(t, err)
			if after != "" {
				require.Contains(t, string(verdict), "\nconfirmed\n", "%s, %s", how, after)
				continue
			}
			require.Contains(t, string(verdict), "left no goroutine can go on", how)
			tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
			require.NoError(t, err)
			require.Less(t, len(tr.Events), 1_000_000, how)
		}
	}
}

// One that polls for what another does, which is to go last, waits for that one.
func TestReplayOfPollingForTheLast(t *testing.T) {
	for _, how := range []string{"lock", "trylock", "atomic", "atomics", "plain", "select", "gosched", "changes", "sleep"} {
		plan := "gopredict-plan 1\norder 01\nlast\ntest TestPoll\ng 0 TestPoll:0.1\n" + fmt.Sprintf("v 0 %d %d 1\n", trace.Write, 1<<31|1)
		file := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestPoll$", "POLL="+how, "AFTER=")
		require.NoError(t, err, "%s: %s", how, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), "\nconfirmed\n", how)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		require.Less(t, len(tr.Events), 100_000, how)
	}
}

// What sync does in goroutines that it starts for its callers is at the places
// where they call it.
func TestPlacesOfWaitGroupGo(t *testing.T) {
	tr := record(t, "^TestGuarded$")
	adds := 0
	for _, e := range tr.Events {
		if e.Kind == trace.WaitGroupAdd && tr.Goroutines[e.G].Test != "" {
			require.Equal(t, "selftest.TestGuarded", tr.Sites[e.Site].Func)
			adds++
		}
	}
	require.Equal(t, 4, adds)
}

// A select that is put off takes the case that it is asked for, if that is ready by then:
// what comes after a timer is only if it is put off for longer.
func TestReplayPutsOff(t *testing.T) {
	var key uint64
	tr := record(t, "^TestPutOff$")
	for _, e := range tr.Events {
		if s := tr.Sites[e.Site]; e.Kind == trace.Select && s.Func == "selftest.TestPutOff" {
			key = s.Key
		}
	}
	took := func(word string, n int) string {
		plan := fmt.Sprintf("gopredict-plan 1\norder 01\n%s\ntest TestPutOff\ng 0 TestPutOff:0\nv 0 %d %d 1 %d\n", word, trace.Select, key, n)
		file := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestPutOff$")
		require.NoError(t, err, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), "\nconfirmed\n")
		require.Equal(t, word == "last", strings.Contains(string(verdict), "\ndue\n"), "%s", verdict)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		for _, e := range tr.Events {
			if e.Kind == trace.SelectDone && tr.Goroutines[e.G].Name() == "TestPutOff:0" {
				require.Equal(t, e.Val == uint64(n), e.Flags&trace.FlagRequested != 0)
			}
		}
		_, what, _ := strings.Cut(out, "took the ")
		what, _, _ = strings.Cut(what, "\n")
		return what
	}
	for word, want := range map[string][]string{"last": {"first", "second"}, "overdue": {"first", "second", "third"}} {
		var all []string
		for n := 1; n <= 3; n++ {
			all = append(all, took(word, n))
		}
		slices.Sort(all)
		require.Equal(t, want, slices.Compact(all), word)
	}
}

// A replay that waits for bytes or a connection which only the held goroutines can send has
// come to its end; one that waits for what others can send waits longer.
func TestReplayKnowsItsOwnEnds(t *testing.T) {
	const others = "left no goroutine can go on but by what comes from outside, "
	for reads, left := range map[string]string{
		"pipe": "left no goroutine can go on, ", "connection": "left no goroutine can go on, ",
		"listener": "left no goroutine can go on, ", "packets": others,
	} {
		tr := record(t, "^TestSilent$", "SILENT="+reads)
		plan := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(plan, []byte("gopredict-plan 1\norder 01\ntest TestSilent\ng 0 TestSilent:0\ng 1 TestSilent:0.1\n"+
			firstStep(t, tr, 0, "TestSilent:0", trace.Fork)+firstStep(t, tr, 1, "TestSilent:0.1", trace.Begin)+firstStep(t, tr, 1, "TestSilent:0.1", trace.Acquire)+
			fmt.Sprintf("s 1 %d %d 1\n", trace.Release, 1<<31|9)+firstStep(t, tr, 0, "TestSilent:0", trace.Acquire)), 0o666))
		dir, out, err := run(t, "replay;plan="+plan+";verdict=$DIR/verdict", "^TestSilent$", "SILENT="+reads)
		require.NoError(t, err, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), "\n"+left+"the schedule waits for", reads)
	}
}

// Goroutines of a deadlock block in the order of the violation, whichever of them is there first:
// a writer has to wait before the reader that it shuts out.
func TestReplayBlocksInOrder(t *testing.T) {
	tr := record(t, "^TestReadsWithin$")
	var reads []trace.Event
	for _, e := range tr.Events {
		if e.Kind == trace.RAcquire && tr.Goroutines[e.G].Name() == "TestReadsWithin:0.1" {
			reads = append(reads, e)
		}
	}
	require.Len(t, reads, 2)
	const head = "gopredict-plan 1\norder 01\nstuck\ntest TestReadsWithin\ng 0 TestReadsWithin:0.1\ng 1 TestReadsWithin:0.2\n"
	steps := firstStep(t, tr, 0, "TestReadsWithin:0.1", trace.RAcquire)
	writer := "v" + strings.TrimPrefix(firstStep(t, tr, 1, "TestReadsWithin:0.2", trace.Acquire), "s")
	reader := fmt.Sprintf("v 0 %d %d 1\n", trace.RAcquire, tr.Sites[reads[1].Site].Key)
	for plan, blocks := range map[string]bool{head + steps + writer + reader: true, head + steps + reader + writer: false} {
		file := filepath.Join(t.TempDir(), "plan")
		require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
		dir, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict", "^TestReadsWithin$")
		require.Equal(t, blocks, err != nil, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.Contains(t, string(verdict), "confirmed\n")
		require.Equal(t, blocks, strings.Contains(string(verdict), "deadlock\n"), "%s", verdict)
	}
}
