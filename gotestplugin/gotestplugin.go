// Package gotestplugin makes `go test -predict ./...` work: it is what a
// module imports whose tests gopredict is to examine by that command. One
// line is enough, in a _test.go file of the package from whose folder go test
// is run:
//
//	func TestMain(m *testing.M) { gotestplugin.Main(m) }
//
// Go test hands -predict and the package patterns after it to the test binary
// of the package in the current folder. That binary then runs the gopredict
// command on these patterns in its own place; see [Main]. Type -predict before
// the patterns: `go test ./... -predict` hands the flag to every package, and
// those that do not know it fail. In a folder without Go files, as the root of
// a module may be, go test says "no Go files" and runs nothing: there, type
// `gopredict test ./...` or, where gopredict is a tool of the module only,
// `go tool gopredict test ./...`.
//
// The package depends on the standard library only and does nothing unless
// -predict is given. Modules that do not want to import anything run
// `gopredict test ./...` instead.
package gotestplugin

import (
	"flag"
	"fmt"
	"os"
)

var predict = flag.Bool("predict", false, "find concurrency bugs of other interleavings than the one that runs")

// options are the -predict.NAME flags; the command, which is handed them,
// documents and checks them.
var options = []string{
	"atomic", "baseline", "baseline-write", "budget", "explore", "fail-on", "github", "gitlab", "html", "json", "junit",
	"keep", "kinds", "new-from", "patterns", "pkgs", "runs",
	"sarif", "seed", "shard", "smt2", "solver", "timeout", "timings", "witnesses",
}

func init() {
	for _, name := range options {
		flag.String("predict."+name, "", "see `gopredict help`; needs -predict")
	}
}

// Main runs the tests and exits, as a TestMain function must that calls
//
//	os.Exit(m.Run())
//
// Under -predict it instead runs `gopredict test`, with the flags and patterns
// that go test was given, and exits with its code: 0 if nothing was confirmed
// that fails the run, 1 for a failed test or a confirmed bug, 2 for wrong
// usage, 3 if gopredict itself failed.
//
// The command is, in this order, the module's tool (`go get -tool
// github.com/gopredict/gopredict`), gopredict in PATH, or the version of
// gopredict that the module requires, which is then built.
func Main(m interface{ Run() int }) {
	if !flag.Parsed() {
		flag.Parse()
	}
	if !*predict {
		flag.Visit(func(f *flag.Flag) {
			if isOption(f.Name) {
				fail(2, fmt.Errorf("-%s has no effect without -predict", f.Name))
			}
		})
		os.Exit(m.Run())
	}
	command, err := find()
	if err != nil {
		fail(3, err)
	}
	fail(3, replace(command, arguments(flag.CommandLine, buildSettings())))
}

// fail ends the process with one line that says why.
func fail(code int, err error) {
	fmt.Fprintln(os.Stderr, "gopredict:", err)
	os.Exit(code)
}
