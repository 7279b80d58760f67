package recorder

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/hooks"
)

// A Config says what to build and to run, and where.
type Config struct {
	Dir  string // absolute; where the go command runs
	Args gotool.TestArgs
	Env  gotool.Env // of Dir
	// Work is an absolute, existing folder for the overlay, traces and binaries of one run. The
	// caller removes it.
	Work string
	// InstrumentPatterns are patterns, as go list takes them, of the packages whose memory
	// accesses are instrumented: "all", "std", "work", ./..., import paths. If there are none,
	// those of the main module or workspace are.
	InstrumentPatterns []string
	// InstrumentAll also instruments what needs no events by the sharing analysis. Tests compare
	// with it.
	InstrumentAll bool
	// AtomicMethods takes methods of structs that hold a mutex for atomic regions, besides
	// critical sections and the functions that a comment //gopredict:atomic marks.
	AtomicMethods bool
	// ShimCommand is the command that calls [RunShim] with the arguments that follow it: go test
	// runs each test binary through it. It is empty if only binaries are built.
	ShimCommand []string
	// ToolCommand is the command that calls [RunTool] with the arguments that follow it: the go
	// command runs the linker through it. If it is empty, all tests are linked anew.
	ToolCommand []string
	// DebugInfo keeps the information for debuggers, in [Build.TestBinary]; linking takes half as
	// long without.
	DebugInfo bool

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// OnPhase gets a text for the status line when a phase of the work begins.
	OnPhase func(what string)

	relocated      relocation
	foreign        []string        // packages of other modules to instrument, by import path
	runtimeImports map[string]bool // import paths of what the run-time library imports
}

// A UsageError says that a command line cannot be served, and what to do instead.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// flag returns the value of go test's flag of that name, from the command line or else from
// GOFLAGS.
func (c *Config) flag(name string) (string, bool) {
	if v, ok := c.Args.Lookup(name); ok {
		return v, ok
	}
	return c.goflags().Lookup(name)
}

// PackageParallelism returns how many packages go test may deal with at the same time, by its flag
// -p; 0 if that is not given.
func (c *Config) PackageParallelism() int {
	v, _ := c.flag("p")
	n, _ := strconv.Atoi(v) // the go command refuses anything else
	return max(0, n)
}

func (c *Config) isSet(name string) bool {
	if _, ok := c.Args.Lookup(name); ok {
		return c.Args.IsSet(name)
	}
	return c.goflags().IsSet(name)
}

func (c *Config) goflags() gotool.TestArgs {
	words, err := gotool.SplitWords(c.Env.GOFLAGS)
	if err != nil {
		return gotool.TestArgs{} // the go command reports it
	}
	return gotool.TestArgs{Flags: gotool.ParseFlags(words)}
}

// supportedSystems are the systems, with their processors, whose runtime the hooks fit, and
// whether tests were recorded and replayed there: see docs/measured/platforms.md, which
// .ci/platforms writes.
var supportedSystems = map[string]bool{
	"darwin/amd64": false, "darwin/arm64": false,
	"freebsd/amd64": false,
	"linux/386":     true, "linux/amd64": true, "linux/arm64": true,
	"windows/amd64": true,
}

// system returns the system that c builds for.
func (c *Config) system() string { return c.Env.GOOS + "/" + c.Env.GOARCH }

// UntestedSystem returns the system that c builds for if tests were never recorded and replayed
// there, though all code compiles for it; else "".
func (c *Config) UntestedSystem() string {
	if tried, known := supportedSystems[c.system()]; known && !tried {
		return c.system()
	}
	return ""
}

// Check returns an error for what cannot work with an instrumented build, or not here. It looks at
// flags and the go command only. What the user can fix is a [*UsageError].
func (c *Config) Check() error {
	for _, name := range []string{"race", "msan", "asan"} {
		if c.isSet(name) {
			return &UsageError{fmt.Sprintf("-%s cannot be combined with prediction: both instrument the build; run `go test -%s` on its own", name, name)}
		}
	}
	if _, ok := c.flag("overlay"); ok {
		return &UsageError{"-overlay cannot be combined with prediction, which builds with an overlay of its own"}
	}
	if c.goflags().AsksForCoverage() {
		return &UsageError{"GOFLAGS asks for coverage; to combine it with prediction, give the flag on the command line"}
	}
	if v, ok := c.flag("compiler"); ok && v != "gc" {
		return &UsageError{fmt.Sprintf("-compiler=%s: only the gc compiler is supported", v)}
	}
	if !c.Env.InModule() {
		return &UsageError{"no go.mod in " + c.Dir + " or above: prediction needs a module; `go mod init` makes one"}
	}
	if err := hooks.CheckRelease(c.Env.GOVERSION); err != nil {
		return err
	}
	if _, known := supportedSystems[c.system()]; !known {
		return &UsageError{fmt.Sprintf("prediction works on %s; this build is for %s", strings.Join(slices.Sorted(maps.Keys(supportedSystems)), ", "), c.system())}
	}
	return nil
}

// isUnder reports whether path is in dir or below.
func isUnder(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (c *Config) announce(what string) {
	if c.OnPhase != nil {
		c.OnPhase(what)
	}
}
