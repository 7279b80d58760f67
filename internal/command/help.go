package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// introduction is the help above the commands.
const introduction = `gopredict finds concurrency bugs of Go programs: it records runs of the
tests, predicts bugs of other interleavings of these, and re-runs the tests so
that the bugs happen. It reports what then really happened.

`

// A command is a subcommand, with its help.
type command struct {
	name string
	// run gets the arguments after the name. It returns the exit code, which counts if there is
	// no error.
	run         func(s *session, ctx context.Context, args []string) (int, error)
	usage       []string // lines, without "gopredict "
	description string
	takesOption func(option string) bool // whether it takes an option; nil: it takes none
}

// findCommand returns the command of that name, nil if there is none.
func findCommand(name string) *command {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// commands returns the commands in the order in which help lists them.
func commands() []command {
	return []command{
		{"test", (*session).runTest, []string{"test [go test flags] [packages]"}, `
Test runs the tests as go test does, then tells the bugs that it found and
confirmed. It takes all flags of go test (see go help testflag) but -race,
-msan, -asan and -overlay, which instrument the build, too.
`, acceptAnyOption},
		{"explore", (*session).runExplore, []string{"explore [go test flags] [packages]"}, `
Explore is test with -predict.explore=all: it runs each test until it has seen
all that its goroutines can do.
`, acceptAnyOption},
		{"replay", (*session).runReplay, []string{"replay [-n N] [-v] [-hold[=D]] [-FORMAT=FILE]... [build flags] WITNESS..."}, `
Replay re-runs some of the bugs, those of files and of folders (./... for all in
this folder and below): exit code 1 if a bug is there, 0 if they are fixed, 2 if
that cannot be told.

	-n N
		how often to replay each (1)
	-v
		show all steps of the interleaving, and what the test printed
	-hold[=D]
		stop at the bug for a debugger to look at, for an hour or for D
	-` + listReportFormats(", -") + `
		files to write what became of each to, as test does
	-exec, -short, -skip, -parallel, -args, and build flags such as -tags
		as of go test
`, func(name string) bool {
			return isReportFormat(name) || slices.Contains([]string{"atomic", "keep", "kinds", "patterns", "pkgs", "solver", "timeout"}, name)
		}},
		{"report", (*session).runReport, []string{"report [-v] [-github] [-FORMAT=FILE]... FILE.json"}, `
Report prints what -predict.json has written as test did, or writes it in other
formats: -` + listReportFormats("=FILE, -") + `=FILE; with
-github annotations and a summary for GitHub Actions.
`, nil},
		{"merge", (*session).runMerge, []string{"merge FILE.json..."}, `
Merge joins the reports of all shards of a run into one, on standard output. It
fails if one is missing or there twice.
`, nil},
		{"property", (*session).runProperty, []string{"property explain [-dot] [packages]"}, `
Property explain prints the automata of the properties that tests declare, with
-dot as graphs for Graphviz.
`, nil},
		{"analyze", (*session).runAnalyze, []string{"analyze [-events] [options] TRACE"}, `
Analyze predicts from a recorded trace, without re-running anything. With
-events it lists each event that races with an earlier one, of data races only.
`, isAnalyzeOption},
		{"trace", (*session).runTrace, []string{"trace dump TRACE", "trace convert -to text|rapid|binary TRACE [FILE]", "trace check TRACE"}, `
Trace prints the events of a trace, writes it in another format, or says
whether it is whole and a legal execution.
`, nil},
		{"doctor", (*session).runDoctor, []string{"doctor [go test flags] [packages]"}, `
Doctor says what of this machine, its Go, the flags and the packages will work,
and what not, before anything is built: exit code 0 if all of it does, else 3.
`, nil},
		{"version", (*session).runVersion, []string{"version"}, `
Version prints the version of gopredict, the revision of its sources, and the
Go release and the system that it was built with and for.
`, nil},
		{"help", (*session).runHelp, []string{"help [COMMAND]"}, `
Help says what the commands do; so does the flag -h of each.
`, nil},
	}
}

func acceptAnyOption(string) bool { return true }

// optionsText is printed above the options.
const optionsText = `
Options, as flags or in the environment variable GOPREDICT as
"name=value name=value":

`

// exitText describes the exit codes, see command.go.
const exitText = `
Exit codes: 0 nothing confirmed that fails the run; 1 a failed test or a
confirmed bug; 2 wrong usage (and what Go's runtime ends a program with that
has no memory left, as under ulimit -v); 3 gopredict itself failed; 4 with
-predict.fail-on=incomplete, not all was looked at; 130 Ctrl-C.
`

// runHelp prints the help of all commands, or of one.
func (s *session) runHelp(_ context.Context, args []string) (int, error) {
	switch len(args) {
	case 0:
		fmt.Fprint(s.stdout, introduction)
		for _, p := range commands() {
			p.writeUsage(s.stdout)
		}
		for _, p := range commands() {
			if p.name != "help" && p.name != "version" {
				fmt.Fprint(s.stdout, p.description)
			}
		}
		fmt.Fprint(s.stdout, "\n`gopredict help COMMAND` has the flags of one.\n")
		s.helpOptions(acceptAnyOption)
		return exitOK, nil
	case 1:
		if p := findCommand(args[0]); p != nil {
			p.writeUsage(s.stdout)
			fmt.Fprint(s.stdout, p.description)
			if p.takesOption != nil {
				s.helpOptions(p.takesOption)
			}
			return exitOK, nil
		}
	}
	return exitUsage, usagef("help takes one of the commands, found %q; `gopredict help` lists them", strings.Join(args, " "))
}

func (p *command) writeUsage(w io.Writer) {
	for _, line := range p.usage {
		fmt.Fprintf(w, "\tgopredict %s\n", line)
	}
}

// helpOptions prints the options that a command takes, the kinds of bugs, and the exit codes.
func (s *session) helpOptions(takes func(name string) bool) {
	fmt.Fprint(s.stdout, optionsText)
	for _, name := range slices.Sorted(maps.Keys(optionTable)) {
		if takes(name) {
			fmt.Fprintf(s.stdout, "\t-%s%s\n\t\t%s\n", prefix, name, optionTable[name].help)
		}
	}
	fmt.Fprint(s.stdout, "\nKinds of bugs:\n\n")
	for _, kind := range bug.Kinds() {
		fmt.Fprintf(s.stdout, "\t%s\n\t\t%s\n", kind, kind.Help())
	}
	fmt.Fprint(s.stdout, exitText)
}

// asksForHelp reports whether an argument of a command asks for help. Arguments for the test binary do
// not.
func asksForHelp(args []string) bool {
	for _, a := range args {
		switch a {
		case "-h", "-help", "--help":
			return true
		case "-args", "--args", "--":
			return false
		}
	}
	return false
}

// runVersion prints the version, which belongs into each report of a fault in gopredict.
func (s *session) runVersion(_ context.Context, args []string) (int, error) {
	if len(args) > 0 {
		return 0, usagef("version takes no arguments, found %q", args[0])
	}
	fmt.Fprintf(s.stdout, "gopredict %s %s %s/%s\n", ownVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK, nil
}

// ownVersion returns the version of this command, and its revision if that is known.
func ownVersion() string {
	version, revision := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		revision = revisionOf(info.Settings)
	}
	return version + revision
}

// revisionOf returns the revision of the sources of a build, " (revision 5e23d00a4f12, modified)"; ""
// if the build was not made in a repository.
func revisionOf(settings []debug.BuildSetting) string {
	revision, modified := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = " (revision " + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + modified + ")"
}
