package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/build"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/testenv"
	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// goEnv returns what the toolchain that GOTOOLCHAIN names builds for. In the environment
// of this test binary GOOS and GOARCH may name another system than its own: the self-test
// is built for that, and run through go_GOOS_GOARCH_exec.
func goEnv(t testing.TB, toolchain string) Target {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT", "GOVERSION", "GOOS", "GOARCH")
	cmd.Dir = t.TempDir()
	if toolchain != "" {
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	f := strings.Fields(string(out))
	require.Len(t, f, 4)
	return Target{GOROOT: f[0], GOVERSION: f[1], GOOS: f[2], GOARCH: f[3]}
}

// selftest returns the command that runs the self-test with args.
func selftest(t testing.TB, toolchain string, args ...string) *exec.Cmd {
	t.Helper()
	line := append(slices.Clip(selftestBinary(t, toolchain)), args...)
	return exec.Command(line[0], line[1:]...)
}

// toolchains are those that the hooks are tested with: the installed one, and for long tests (tag
// long) one of the supported release that it is not.
var toolchains = []string{"local"}

// selftests holds the test binaries of testdata/selftest by toolchain, in the
// folder of that name in selftestDir, each after what it is run through.
var (
	selftests   = map[string][]string{}
	selftestDir string
)

// selftestBinary compiles testdata/selftest under the overlay, once for each
// toolchain, and returns the command that runs it.
func selftestBinary(t testing.TB, toolchain string) []string {
	t.Helper()
	if line, ok := selftests[toolchain]; ok {
		return line
	}
	target := goEnv(t, toolchain)
	dir := filepath.Join(selftestDir, "of-"+toolchain)
	require.NoError(t, os.Mkdir(dir, 0o777))
	modcache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	env := gotool.Env{GOMODCACHE: strings.TrimSpace(string(modcache))}
	if env.InModCache(target.GOROOT) {
		// By the name that gopredict gives it, for the sake of the build cache.
		require.NoError(t, env.LinkModCache(dir))
		target.GOROOT = env.ViaModCacheAlias(target.GOROOT)
	}
	replace, err := Overlay(target, filepath.Join(dir, "std"), nil)
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o666))
	binary := filepath.Join(dir, "self.test")
	cmd := exec.Command(filepath.Join(target.GOROOT, "bin", "go"), "test", "-overlay", overlay, "-vet=off", "-c", "-o", binary, ".")
	cmd.Dir = filepath.Join("testdata", "selftest")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOROOT="+target.GOROOT, "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	selftests[toolchain] = append(gotool.Env{GOOS: target.GOOS, GOARCH: target.GOARCH}.CrossExec(), binary)
	return selftests[toolchain]
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		panic(err)
	}
	selftestDir = dir
	code := testenv.M{M: m}.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// eachRelease runs f as a subtest for each supported release.
func eachRelease(t *testing.T, f func(t *testing.T, toolchain string)) {
	for _, toolchain := range toolchains {
		t.Run(toolchain, func(t *testing.T) { f(t, toolchain) })
	}
}

// run runs the tests of the self-test that pattern names. mode is what
// GOPREDICT_RT holds, with $DIR for the folder that is returned.
func run(t *testing.T, mode, pattern string, env ...string) (dir, output string, err error) {
	t.Helper()
	return runBuilt(t, "local", mode, pattern, env...)
}

func runBuilt(t *testing.T, toolchain, mode, pattern string, env ...string) (dir, output string, err error) {
	t.Helper()
	dir = t.TempDir()
	cmd := selftest(t, toolchain, "-test.v", "-test.run", pattern)
	cmd.Env = append(append(os.Environ(), env...), "GOPREDICT_RT="+strings.ReplaceAll(mode, "$DIR", dir))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return dir, out.String(), err
}

// record runs tests in record mode and returns the valid trace.
func record(t *testing.T, pattern string, env ...string) *trace.Trace {
	t.Helper()
	return recordBuilt(t, "local", pattern, env...)
}

func recordBuilt(t *testing.T, toolchain, pattern string, env ...string) *trace.Trace {
	t.Helper()
	dir, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace", pattern, env...)
	require.NoError(t, err, out)
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	require.True(t, tr.Complete)
	tr.AddSites(sites)
	require.NoError(t, trace.Validate(tr))
	return tr
}

// sites are what the self-test calls the rewriter's sites.
var sites = []trace.Site{
	{ID: trace.SiteRewritten | 1, Key: 1<<31 | 1, Func: "write", File: "race_test.go", Line: 1, Op: "write"},
	{ID: trace.SiteRewritten | 2, Key: 1<<31 | 2, Func: "read", File: "race_test.go", Line: 2, Op: "read"},
	{ID: trace.SiteRewritten | 3, Key: 1<<31 | 3, Func: "spin", File: "race_test.go", Line: 3, Op: "read"},
	{ID: trace.SiteRewritten | 4, Key: 1<<31 | 4, Func: "atomic", File: "race_test.go", Line: 4, Op: "armw"},
	{ID: trace.SiteRewritten | 5, Key: 1<<31 | 5, Func: "chance", File: "chance_test.go", Line: 5, Op: "write"},
}

// testName is the test of the self-test that makes a hook fire.
func testName(h Hook) string {
	prefix := "Test"
	if h.Decl == "fRunner" {
		prefix = "Fuzz"
	}
	return prefix + camel(h.Package) + camel(h.Decl)
}

func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("(*)./_ ", r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func TestEveryHookFires(t *testing.T) { eachRelease(t, testEveryHookFires) }

func testEveryHookFires(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^(Test(Context|Database|Os|Runtime|Reflect|Internal|Iter|Net|Sync|Syscall|Time|Testing)|FuzzTesting)")
	seen := map[string]map[trace.Kind]bool{}
	for _, e := range tr.Events {
		switch fn := tr.Sites[e.Site].Func; {
		case strings.HasPrefix(fn, "testing.tRunner") && e.Kind == trace.Write: // a test ends
		case strings.HasPrefix(fn, "testing."), strings.HasPrefix(fn, "fmt."):
			continue
		}
		name := tr.Goroutines[e.G].Test
		if seen[name] == nil {
			seen[name] = map[trace.Kind]bool{}
		}
		seen[name][e.Kind] = true
	}
	target := goEnv(t, toolchain)
	for _, h := range Table() {
		if strings.HasPrefix(h.Decl, "cgo") && !build.Default.CgoEnabled || endsProgram(h) || elsewhere(target, h) {
			continue
		}
		for _, k := range h.Kinds {
			if !seen[testName(h)][k] {
				t.Errorf("%s.%s: expected an event %s in %s, found none", h.Package, h.Decl, k, testName(h))
			}
		}
	}
}

// What package reflect does for a test has events, and none where a package is initialized: that comes before
// all that others will do.
func TestCopiesOfInitialization(t *testing.T) {
	tr := record(t, "^TestCopyByReflection$")
	writes := make(map[string]int) // by test
	for _, e := range tr.Events {
		if strings.HasSuffix(tr.Sites[e.Site].Func, ".copyByReflection") && e.Kind == trace.Write {
			writes[tr.Goroutines[e.G].Test]++
		}
	}
	assert.Equal(t, map[string]int{"TestCopyByReflection": 2}, writes)
}

// What package sync does for its caller is the caller's, also where the compiler has inlined it.
func TestInlinedIsTheCallers(t *testing.T) {
	tr := record(t, "^TestOnceInlined$")
	var files []string
	for _, e := range tr.Events {
		if e.Kind == trace.OnceDone && tr.Goroutines[e.G].Test == "TestOnceInlined" {
			files = append(files, filepath.Base(tr.Sites[e.Site].File))
		}
	}
	assert.Equal(t, []string{"sync_test.go", "sync_test.go"}, files)
}

// The garbage collector, which looks for pointers to what is free, finds none of the recorder's.
func TestNothingFreeIsPointedTo(t *testing.T) {
	record(t, "^TestChannelsComeAndGo$")
}

// Each method that a built-in property names has a hook.
func TestBuiltinPropertiesHaveHooks(t *testing.T) {
	for _, d := range properties.Builtin() {
		for _, e := range d.Events {
			for _, m := range e.Methods {
				tells := fmt.Sprintf(", %d, %s)", trace.CallSiteKey(m.Name, 0), here)
				hooked := slices.ContainsFunc(Table(), func(h Hook) bool {
					return slices.ContainsFunc(h.edits, func(e edit) bool { return strings.Contains(e.text, tells) })
				})
				assert.True(t, hooked, "%s of property %q", m.Name, d.Name)
			}
		}
	}
}

// elsewhere reports whether a hook is for another release, or in a file that is not built for the
// system.
func elsewhere(target Target, h Hook) bool {
	if !h.in(target.GOVERSION) {
		return true
	}
	first := h.edits[0]
	if first.at != inFile {
		return false
	}
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH = target.GOOS, target.GOARCH
	here, err := ctxt.MatchFile(filepath.Join(target.GOROOT, "src", filepath.FromSlash(h.Package)), first.anchor)
	return err != nil || !here
}

// endsProgram reports whether what a hook is in ends the program as failed.
func endsProgram(h Hook) bool { return h.Package == "log" || h.Package == "os" && h.Decl == "Exit" }

func TestEveryEndFires(t *testing.T) { eachRelease(t, testEveryEndFires) }

func testEveryEndFires(t *testing.T, toolchain string) {
	for _, h := range Table() {
		if !endsProgram(h) {
			continue
		}
		name := "TestEnd/" + camel(h.Package) + camel(h.Decl)
		dir, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace", "^"+name+"$", "SELFTEST_END=1")
		require.ErrorContains(t, err, "exit status 1", out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(tr.Events, func(e trace.Event) bool {
			return e.Kind == trace.Assert && e.Val == 0 && strings.HasPrefix(tr.Sites[e.Site].Func, "selftest.TestEnd")
		}), name)
	}
}

func TestEveryAtomicMethodFires(t *testing.T) { eachRelease(t, testEveryAtomicMethodFires) }

func testEveryAtomicMethodFires(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestSyncAtomicTypes$")
	n := map[trace.Kind]int{}
	for _, e := range tr.Events {
		if strings.HasPrefix(tr.Sites[e.Site].Func, "selftest.") {
			n[e.Kind]++
		}
	}
	require.Equal(t, 7, n[trace.AtomicLoad])
	require.Equal(t, 7, n[trace.AtomicStore])
	require.Equal(t, 29, n[trace.AtomicRMW])
}

func TestSpinLoopsEnd(t *testing.T) { record(t, "^TestSpin$") }

func TestTimersAreLate(t *testing.T) { record(t, "^TestLate$") }

func TestComputingTripsNoTimeout(t *testing.T) { record(t, "^TestCost$", "COST=1") }

// The wall clock leaves out what is computed until the test comes by a time that another one
// has taken.
func TestWallClock(t *testing.T) { eachRelease(t, testWallClock) }

func testWallClock(t *testing.T, toolchain string) {
	peer, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer peer.Close()
	go func() {
		for {
			c, err := peer.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("x"))
			c.Close()
		}
	}()
	plan := "gopredict-plan 1\norder 01\ntest TestWall\ng 0 TestWall:0\n" + fmt.Sprintf("s 0 %d %d 1\n", trace.Write, 1<<31|1)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan), 0o666))
	for _, how := range []string{"create", "mkdir", "stat", "lstat", "fstat", "root", "process", "system", "peer", "own", "poll"} {
		for _, mode := range []string{"record;trace=$DIR/trace", "replay;plan=" + file + ";verdict=$DIR/verdict"} {
			_, out, err := runBuilt(t, toolchain, mode, "^TestWall(Begins)?$", "WALL="+how, "DIR="+t.TempDir(), "PEER="+peer.Addr().String())
			require.NoError(t, err, out)
		}
	}
}

func TestModeIsNotInherited(t *testing.T) { record(t, "^TestEnvironment$") }

func TestOffWritesNothing(t *testing.T) {
	dir, out, err := run(t, "", "^Test[^L]") // TestLongSleep does sleep then
	require.NoError(t, err, out)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestCrashLeavesTrace(t *testing.T) {
	dir, out, err := run(t, "record;trace=$DIR/trace", "^TestCrash$", "CRASH=1")
	require.Error(t, err, out)
	require.Contains(t, out, "panic: expected")
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	require.False(t, tr.Complete)
	require.NoError(t, trace.Validate(tr))
	var kinds []trace.Kind
	for _, e := range tr.Events {
		kinds = append(kinds, e.Kind)
	}
	require.Contains(t, kinds, trace.Panic)
}

// Variables that are at one address in turn can be told apart.
func TestMemoryIsUsedAgain(t *testing.T) { eachRelease(t, testMemoryIsUsedAgain) }

func testMemoryIsUsedAgain(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestReuse$")
	generations := trace.NewGenerations(tr)
	obj, generation := map[uint64]uint64{}, map[uint64]int32{} // by value written
	for i, e := range tr.Events {
		if e.Kind == trace.Write {
			obj[e.Val], generation[e.Val] = e.Obj, generations.Of(i)
		}
	}
	require.Equal(t, obj[2], obj[3])
	require.NotEqual(t, generation[2], generation[3])
	require.Equal(t, obj[1], obj[4])
	require.Equal(t, generation[1], generation[4])
}

// A test that has had its share of the trace does not use up that of the next.
func TestShares(t *testing.T) {
	for _, test := range []struct {
		what string
		cuts []trace.Cut
	}{
		{"accesses", []trace.Cut{{Test: "TestManyEvents"}}},
		{"locks", []trace.Cut{{Test: "TestManyEvents"}, {Test: "TestManyEvents", LacksSync: true}}},
	} {
		tr := recordLimited(t, test.what, 4<<20)
		require.True(t, tr.Complete)
		require.Equal(t, test.cuts, tr.Cuts)
		writes := 0 // of the next test
		for _, e := range tr.Events {
			if e.Kind == trace.Write && e.Site&trace.SiteRewritten != 0 && tr.Goroutines[e.G].Test == "TestNextToMany" {
				writes++
			}
		}
		require.Equal(t, 10, writes)
	}
}

// What is given back while a test has had its share is told all the same.
func TestMemoryIsUsedAgainAfterMany(t *testing.T) {
	tr := recordLimited(t, "freed", 4<<20)
	generations, of := trace.NewGenerations(tr), map[string]int32{} // by test
	var objs []uint64
	for i, e := range tr.Events {
		test := tr.Goroutines[e.G].Test
		if _, ok := of[test]; e.Kind == trace.Write && e.Site&trace.SiteRewritten != 0 && !ok {
			of[test], objs = generations.Of(i), append(objs, e.Obj)
		}
	}
	require.Len(t, objs, 2)
	require.Equal(t, objs[0], objs[1])
	require.NotEqual(t, of["TestBeforeMany"], of["TestNextToMany"])
}

// Events that take more room packed than before do not tear a chunk apart.
func TestUnforeseenEvents(t *testing.T) {
	branches := 0
	for _, e := range record(t, "^TestUnforeseen$").Events {
		if e.Kind == trace.Branch {
			branches++
		}
	}
	require.Equal(t, 100_000, branches)
}

// Recording stops where there is no more room even for goroutines.
func TestRecordingStopsAtLimit(t *testing.T) {
	const limit = 1 << 20
	tr := recordLimited(t, "goroutines", limit)
	require.EqualValues(t, limit, tr.Meta.Limit)
	require.False(t, tr.Complete)
	// Before packing an event takes 8 to 32 bytes.
	require.Greater(t, len(tr.Events), limit/32)
	require.Less(t, len(tr.Events), 2*limit/8)
}

// Each event is of the goroutine that did it, also where others beside it are not
// recorded any more, however much of them is.
func TestWhoseEventsAtLimits(t *testing.T) {
	for limit := 1 << 20; limit <= 8<<20; limit *= 2 {
		ownWrites(t, recordLimited(t, "beside", limit))
	}
}

// The rounds of one that polls are left out.
func TestWhoseEventsBesidePoll(t *testing.T) {
	ownWrites(t, record(t, "^TestWorkBesidePoll$", "WHOSE=poll"))
}

// A round of one that polls is not there if another goroutine has come in between: the part of it that is no event
// is not made one too late.
func TestPollBesideOthers(t *testing.T) { record(t, "^TestPollBeside$") }

// ownWrites checks that no two goroutines write to one variable.
func ownWrites(t *testing.T, tr *trace.Trace) {
	t.Helper()
	writer := map[uint64]trace.GID{}
	for i, e := range tr.Events {
		if e.Kind != trace.Write || e.Site&trace.SiteRewritten == 0 || tr.Goroutines[e.G].Test == "TestNextToMany" {
			continue
		}
		if g, ok := writer[e.Obj]; ok {
			require.Equal(t, g, e.G, "event %d writes to %#x", i, e.Obj)
		}
		writer[e.Obj] = e.G
	}
	require.NotEmpty(t, writer)
}

// recordLimited records a test that logs many events of some sort, and the one
// after it.
func recordLimited(t *testing.T, what string, limit int) *trace.Trace {
	t.Helper()
	dir, out, err := run(t, fmt.Sprintf("record;trace=$DIR/trace;limit=%d", limit), "^(TestBeforeMany|TestManyEvents|TestNextToMany)$", "MANY="+what)
	require.NoError(t, err, out)
	tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
	require.NoError(t, err)
	tr.AddSites(sites)
	require.NoError(t, trace.Validate(tr))
	return tr
}

func TestBadModeIsRefused(t *testing.T) {
	for _, mode := range []string{"record", "replay;plan=$DIR/none;verdict=$DIR/v", "record;trace=$DIR/no/such", "record;trace=$DIR/t;limit=x", "x"} {
		_, out, err := run(t, mode, "^TestRace$")
		require.Error(t, err, mode)
		require.Contains(t, out, "gopredict: ", mode)
	}
}

// What a setting of GODEBUG is, is found out without an event.
func TestSettingsAreFoundOutInSilence(t *testing.T) {
	tr := record(t, "^TestTime")
	for _, e := range tr.Events {
		if g := tr.Goroutines[e.G]; g.Test != "" {
			assert.NotContains(t, tr.Sites[e.Site].Func, "internal/godebug.", "%s: %s", g.Test, e.Kind)
		}
	}
}
