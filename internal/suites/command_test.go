package suites

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/subjects"

	// The command runs as a process of its own. This import makes go test run
	// these tests again, and not take their results from its cache, when the
	// command has changed.
	_ "github.com/gopredict/gopredict/internal/command"
	"github.com/gopredict/gopredict/internal/testenv"
)

// root is the root folder of gopredict's own module, and command the binary
// that TestMain built from it.
var root, command string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (code int, err error) {
	if root, err = filepath.Abs("../.."); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "gopredict-suites-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := testenv.Set(dir); err != nil {
		return 0, err
	}
	command = filepath.Join(dir, "gopredict")
	build := exec.Command("go", "build", "-o", command, root)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the command: %v\n%s", err, out)
	}
	return m.Run(), nil
}

// A result is what a process has left behind.
type result struct {
	exit           int
	stdout, stderr string
}

func (r result) String() string {
	return fmt.Sprintf("exit code %d\nstdout:\n%s\nstderr:\n%s", r.exit, r.stdout, r.stderr)
}

// run runs name in dir, with env added to the environment, and returns what it
// left behind. A process that cannot be started fails the test.
func run(t *testing.T, dir string, env []string, name string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if slices.Contains(args, "test") { // what is found does not follow from how busy the machine is
		cmd.Env = append(cmd.Env, "GOPREDICT=timeout=10m")
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// copySubject copies a subject's folder to a new one, where its go.mod still
// finds gopredict, and returns that.
func copySubject(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, subjects.Copy(root, name, dir))
	return dir
}

// A report is what these tests look at of the JSON report.
type report struct {
	Schema   string
	Packages []struct {
		Package    string
		Tests      int
		Result     string
		Events     int
		TraceBytes int64 `json:"trace_bytes"`
		Explored   []struct {
			Test     string
			Complete bool
		}
	}
	Findings  []finding
	Witnesses []struct{ Witness, Status, Reason string }
}

func (r report) confirmed() []finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f finding) bool { return f.Status != "confirmed" })
}

type finding struct {
	ID, Kind, Pattern, Status, Effect, Reason, Tier, Package, Test, Witness string
	Replays                                                                 int
	Undecided                                                               bool
	Accesses                                                                []struct {
		Goroutine, Op, Expr, File string
		Line                      int
		Locks                     []place
		CreatedAt                 place `json:"goroutine_created_at"`
	}
	Time         *place // what it rests on, if it rests on time
	First        int
	Interleaving []struct{ Goroutine, Op, Expr, Value string }
}

type place struct {
	Expr, File string
	Line       int
}

// time is the place of the wait that the finding rests on; "" if it does not rest on time.
func (f finding) time() string {
	if f.Time == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", f.Time.File, f.Time.Line)
}

// sites returns the finding's places, "bank.go:31" or "std/net/http/server.go", in no special
// order.
func (f finding) sites() []string {
	var sites []string
	for _, a := range f.Accesses {
		site := a.File
		if !strings.HasPrefix(site, "std/") { // whose lines differ from release to release
			site += fmt.Sprintf(":%d", a.Line)
		}
		sites = append(sites, site)
	}
	return sites
}

// goroutines returns the names of the finding's goroutines, sorted.
func (f finding) goroutines() []string {
	var names []string
	for _, a := range f.Accesses {
		names = append(names, a.Goroutine)
	}
	slices.Sort(names)
	return names
}

func readReport(t *testing.T, file string) report {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var r report
	require.NoError(t, json.Unmarshal(text, &r))
	require.Equal(t, "gopredict.report/v1", r.Schema)
	return r
}
