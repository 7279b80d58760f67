package replayer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/replayer/witness"
)

// droppedFlags are the test flags that a replay does not take over: it chooses the
// tests itself, and must not write the files of the recorded run again. The
// value says whether the flag takes a value in the next argument.
var droppedFlags = map[string]bool{
	"run": true, "count": true, "timeout": true, "shuffle": true, "cpu": true, "list": true,
	"bench": true, "benchtime": true, "benchmem": false, "failfast": false,
	"fuzz": true, "fuzztime": true, "fuzzminimizetime": true, "fuzzcachedir": true, "fuzzworker": false,
	"coverprofile": true, "gocoverdir": true, "outputdir": true, "artifacts": false, "testlogfile": true, "trace": true,
	"cpuprofile": true, "memprofile": true, "memprofilerate": true,
	"blockprofile": true, "blockprofilerate": true, "mutexprofile": true, "mutexprofilefraction": true,
}

// A binaryFlag is a flag among the arguments of a test binary.
type binaryFlag struct {
	name  string   // without "test."; "" for the user's own flags
	value string   // if it is a test flag that takes one
	words []string // the arguments that it consists of
}

func (f binaryFlag) isDropped() bool {
	_, ok := droppedFlags[f.name]
	return ok
}

// isKept reports whether a witness keeps the flag: those that tests can see.
func (f binaryFlag) isKept() bool {
	return f.name == "" || slices.Contains(witness.KeptFlags, f.name)
}

// splitFlags divides the arguments of a test binary into flags and all from the first other argument on.
func splitFlags(args []string) (flags []binaryFlag, rest []string) {
	for len(args) > 0 && args[0] != "--" && strings.HasPrefix(args[0], "-") {
		f := binaryFlag{words: args[:1:1]}
		name, isTest := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "test.")
		if isTest {
			var hasValue bool
			f.name, f.value, hasValue = strings.Cut(name, "=")
			takesValue := droppedFlags[f.name] || f.isKept() && f.name != "short"
			if !hasValue && takesValue && len(args) > 1 {
				f.value, f.words = args[1], args[:2:2]
			}
		}
		flags, args = append(flags, f), args[len(f.words):]
	}
	return flags, args
}

// withoutFlags returns the arguments of a run except the flags to drop.
func withoutFlags(args []string, drop func(binaryFlag) bool) (out []string) {
	flags, rest := splitFlags(args)
	for _, f := range flags {
		switch {
		case drop(f):
		case f.name == "v" && f.value == "test2json":
			out = append(out, "-test.v=true") // without the marks for test2json
		default:
			out = append(out, f.words...)
		}
	}
	return append(out, rest...)
}

// ReplayArgs returns the arguments for replaying w, from those of the recorded
// run.
func ReplayArgs(args []string, w *witness.Witness, timeout time.Duration) []string {
	if w.Parallel > 0 {
		args = append([]string{"-test.parallel=" + strconv.Itoa(w.Parallel)}, args...) // a later flag takes precedence
	}
	return RerunArgs(args, w.Tests, w.RunPattern, timeout)
}

// RerunArgs returns the arguments for running some top-level tests of a binary
// again, from those of a run, and within a time. Filter is the -test.run pattern
// that selects their subtests; "": all. Flags that can change the behaviour of
// the tests stay: -test.v, -test.short, -test.skip, -test.parallel, and the
// user's own.
func RerunArgs(args, tests []string, filter string, timeout time.Duration) []string {
	names, count := testsAndCount(tests)
	return append([]string{
		"-test.run=" + runPattern(names, filter),
		"-test.count=" + strconv.Itoa(count),
		"-test.timeout=" + timeout.String(),
	}, withoutFlags(args, binaryFlag.isDropped)...)
}

// RerunArgsWithout returns the arguments for running the tests of a run again,
// except some top-level ones, from the arguments of that run, and within a
// time.
func RerunArgsWithout(args, tests []string, timeout time.Duration) []string {
	skip := ""
	args = withoutFlags(args, func(f binaryFlag) bool {
		if f.name == "skip" {
			skip = f.value + "|"
		}
		return f.name == "skip" || f.isDropped() && f.name != "run" && f.name != "count"
	})
	names, _ := testsAndCount(tests)
	return append([]string{"-test.skip=" + skip + runPattern(names, ""), "-test.timeout=" + timeout.String()}, args...)
}

// WitnessArgs returns, of the arguments of a recorded run, those that a witness must
// keep ([witness.Witness.Args]) to be replayed later: those that the tests can see.
func WitnessArgs(args []string) []string {
	return withoutFlags(args, func(f binaryFlag) bool { return !f.isKept() })
}

// ArgsToReplay returns the arguments to replay w with: args, of this run, and if
// none of these are kept in witnesses, those that the witness was recorded with.
func ArgsToReplay(w *witness.Witness, args []string) []string {
	if len(WitnessArgs(args)) > 0 {
		return args
	}
	return append(slices.Clone(args), w.Args...)
}

// SubtestFilter returns the -test.run pattern among a recorded run's arguments
// if it selects subtests, else "". The witness keeps it (Witness.RunPattern), as the
// names of goroutines depend on which subtests run.
func SubtestFilter(args []string) string {
	flags, _ := splitFlags(args)
	for _, f := range flags {
		if f.name == "run" && strings.Contains(f.value, "/") {
			return f.value
		}
	}
	return ""
}

// testsAndCount returns the names of tests without the numbers of runs ("TestX#2"), and the
// highest number: the -test.count with which all of these runs happen.
func testsAndCount(tests []string) (names []string, count int) {
	count = 1
	for _, t := range tests {
		name, n, _ := strings.Cut(t, "#")
		if k, err := strconv.Atoi(n); err == nil && k > count && k <= 1000 {
			count = k
		}
		names = append(names, name)
	}
	return names, count
}

// runPattern returns the -test.run pattern that selects the top-level tests
// names and, of each, the subtests that filter selects.
func runPattern(names []string, filter string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	all := "^(" + strings.Join(quoted, "|") + ")$"
	if filter == "" {
		return all
	}
	// Package testing splits a pattern at "|" first, then at "/".
	var out []string
	for i, n := range names {
		for _, alt := range splitPattern(filter, '|') {
			parts := splitPattern(alt, '/')
			top, err := regexp.Compile(parts[0])
			if err != nil || !top.MatchString(n) {
				continue
			}
			out = append(out, strings.Join(append([]string{"^" + quoted[i] + "$"}, parts[1:]...), "/"))
		}
	}
	if len(out) == 0 { // the filter selects none of these tests
		return all
	}
	return strings.Join(out, "|")
}

// splitPattern cuts a regular expression at sep where that is outside of
// brackets and not escaped.
func splitPattern(s string, sep byte) []string {
	var out []string
	square, round, from := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(0, square-1)
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round = max(0, round-1)
		case c == sep && square == 0 && round == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}
