package command

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
)

// usageText is the help above the options. The options' own lines come from their table, so
// that there is no option without one.
const usageText = `gopredict finds concurrency bugs of Go programs: it records runs of the
tests, predicts bugs of other interleavings of these, and re-runs the tests so
that the bugs happen. It reports what then really happened.

	gopredict test [go test flags] [packages]
	gopredict explore [go test flags] [packages]
	gopredict replay [-n N] [-v] [-hold[=D]] [build flags] WITNESS...
	gopredict report [-v] [-FORMAT=FILE]... FILE.json
	gopredict merge FILE.json...
	gopredict property explain [-dot] [packages]
	gopredict analyze [-predict.kinds=KINDS] [-predict.patterns=FILE] TRACE
	gopredict trace dump TRACE
	gopredict trace convert -to text|rapid|binary TRACE [FILE]
	gopredict trace check TRACE
	gopredict version
	gopredict help

Test runs the tests as go test does, then tells the bugs that it found and
confirmed. Explore does the same with -predict.explore=all: it runs each test
until it has seen all that its goroutines can do. Replay re-runs some of the
bugs, those of files and of folders: exit code 1 if a bug is there, 0 if they are
fixed. With -hold it stops at the bug, for a debugger to look at. Report prints
what -predict.json has written, or writes it in other formats, those of the options
below. Merge joins the reports of all shards of a run into one. Property
explain prints the automata of the properties that tests declare, with -dot as
graphs for Graphviz. Analyze predicts from a recorded trace, without re-running
anything.

Options, as flags of test or in the environment variable GOPREDICT as
"name=value name=value":

`

// exitText is what scripts rely on: the codes of command.go.
const exitText = `
Exit codes: 0 nothing confirmed that fails the run; 1 a failed test or a
confirmed bug; 2 wrong usage; 3 gopredict itself failed.
`

// help prints the usage, with a line for each option of the table.
func (s *session) help(context.Context, []string) (int, error) {
	fmt.Fprint(s.stdout, usageText)
	for _, name := range slices.Sorted(maps.Keys(optionTable)) {
		fmt.Fprintf(s.stdout, "\t-%s%s\n\t\t%s\n", prefix, name, optionTable[name].help)
	}
	fmt.Fprint(s.stdout, exitText)
	return exitOK, nil
}

// version prints what a report of a mistake in gopredict should have in it.
func (s *session) version(_ context.Context, args []string) (int, error) {
	if len(args) > 0 {
		return 0, usagef("version takes no arguments, found %q", args[0])
	}
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	fmt.Fprintf(s.stdout, "gopredict %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK, nil
}
