package replayer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/replayer/witness"
)

// dropped are the test flags that a replay does not take over: it chooses the
// tests itself, and must not write the files of the recorded run again. The
// value says whether the flag takes a value in the next argument.
var dropped = map[string]bool{
	"run": true, "count": true, "timeout": true, "shuffle": true, "cpu": true, "list": true,
	"bench": true, "benchtime": true, "benchmem": false, "failfast": false,
	"fuzz": true, "fuzztime": true, "fuzzminimizetime": true, "fuzzcachedir": true, "fuzzworker": false,
	"coverprofile": true, "gocoverdir": true, "outputdir": true, "artifacts": false, "testlogfile": true, "trace": true,
	"cpuprofile": true, "memprofile": true, "memprofilerate": true,
	"blockprofile": true, "blockprofilerate": true, "mutexprofile": true, "mutexprofilefraction": true,
}

// ReplayArgs returns the arguments for replaying w, from those of the recorded
// run.
func ReplayArgs(args []string, w *witness.Witness, timeout time.Duration) []string {
	if w.Parallel > 0 {
		args = append([]string{"-test.parallel=" + strconv.Itoa(w.Parallel)}, args...) // a later one counts
	}
	return RerunArgs(args, w.Tests, w.RunPattern, timeout)
}

// ArgsOf returns the arguments for running some top-level tests of a binary
// once more, from those of a run, and within a time: of each of them the
// subtests that filter, a -test.run pattern, selects, or all if it is "".
// What can change the tests' behaviour stays: -test.v, -test.short,
// -test.skip, -test.parallel, and the user's own.
func RerunArgs(args, tests []string, filter string, timeout time.Duration) []string {
	names, count := runs(tests)
	return append([]string{
		"-test.run=" + runPattern(names, filter),
		"-test.count=" + strconv.Itoa(count),
		"-test.timeout=" + timeout.String(),
	}, withoutFlags(args, func(name, _ string) bool { _, drop := dropped[name]; return drop })...)
}

// ArgsWithout returns the arguments for running the tests of a run once more,
// except some top-level ones, from the arguments of that run, and within a
// time.
func RerunArgsWithout(args, tests []string, timeout time.Duration) []string {
	skip := ""
	args = withoutFlags(args, func(name, value string) bool {
		if name == "skip" {
			skip = value + "|"
		}
		_, drop := dropped[name]
		return drop && name != "run" && name != "count" || name == "skip"
	})
	names, _ := runs(tests)
	return append([]string{"-test.skip=" + skip + runPattern(names, ""), "-test.timeout=" + timeout.String()}, args...)
}

// withoutFlags returns the arguments of a run except the test flags to drop,
// by their names and values.
func withoutFlags(args []string, drop func(name, value string) bool) (out []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" || !strings.HasPrefix(a, "-") {
			return append(out, args[i:]...)
		}
		name, value, hasValue := testFlag(a)
		next := !hasValue && takesValue(name) && i+1 < len(args)
		if next {
			i++
			value = args[i]
		}
		switch {
		case drop(name, value):
		case name == "v" && value == "test2json":
			out = append(out, "-test.v=true") // the marks for test2json are not for readers
		case next:
			out = append(out, a, value)
		default:
			out = append(out, a)
		}
	}
	return out
}

// takesValue reports whether the value of a test flag can be the next argument.
func takesValue(name string) bool { return dropped[name] || lasting(name) && name != "short" }

// lasting reports whether a witness keeps the test flag of that name.
func lasting(name string) bool { return slices.Contains(witness.KeptFlags, name) }

// Lasting returns, of the arguments of a recorded run, those that a witness must
// keep ([witness.Witness.Args]) to be replayed by itself: what the tests can see,
// which is some of the test flags and the user's own.
func WitnessArgs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" || !strings.HasPrefix(a, "-") {
			return append(out, args[i:]...)
		}
		name, _, hasValue := testFlag(a)
		switch {
		case name == "" || lasting(name):
			out = append(out, a)
			if lasting(name) && name != "short" && !hasValue && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		case dropped[name] && !hasValue:
			i++
		}
	}
	return out
}

// ArgsFor returns the arguments to replay w with: args, of this run, and where
// they have none that last, those that the witness was recorded with.
func ArgsToReplay(w *witness.Witness, args []string) []string {
	if len(WitnessArgs(args)) > 0 {
		return args
	}
	return append(slices.Clone(args), w.Args...)
}

// testFlag divides a "-test.name=value" argument into its parts; name is ""
// for others.
func testFlag(arg string) (name, value string, hasValue bool) {
	flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	flag, ok := strings.CutPrefix(flag, "test.")
	if !ok {
		return "", "", false
	}
	name, value, hasValue = strings.Cut(flag, "=")
	return name, value, hasValue
}

// SubtestFilter returns the -test.run pattern among a recorded run's arguments
// if it selects subtests, else "". The witness keeps it (Witness.Run), as the
// names of goroutines depend on which subtests run.
func SubtestFilter(args []string) string {
	for i, a := range args {
		if a == "--" || !strings.HasPrefix(a, "-") {
			break
		}
		name, value, hasValue := testFlag(a)
		if name != "run" {
			continue
		}
		if !hasValue && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.Contains(value, "/") {
			return value
		}
	}
	return ""
}

// runs takes the numbers of runs ("TestX#2") off test names and returns the
// highest, which is the -test.count that makes all of them happen.
func runs(tests []string) (names []string, count int) {
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
	// Package testing takes a pattern apart at "|" first, then at "/".
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
	if len(out) == 0 { // the filter is not for these tests
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
