package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/internal/given"
	"github.com/gopredict/gopredict/internal/report"
)

// envVar is the environment variable that holds options for every run, as
// "name=value name=value"; the command line wins over it.
const envVar = "GOPREDICT"

// prefix is that of the flags on the command line: none of go test's begins so, now or
// later, and the same names work in a test binary's own flags.
const prefix = "predict."

// Options are the -predict.NAME flags, of whichever subcommand. The zero value of most
// says that the room that is asked decides: defaults stand with what they are defaults of.
type options struct {
	// What to look for, in each trace.
	kinds      []bug.Kind          // of bugs to look for; none: all there are
	patterns   []anomaly.Pattern   // to look for besides, of whatever kinds
	properties []property.Property // that the tests declare, of whichever packages
	methods    bool                // methods of structs that hold a mutex are atomic regions
	solver     func(*solver.Formula) (solver.Engine, error)
	queries    *queryFolder // nil: not written

	// How far to go.
	pkgs     []string       // patterns of packages to instrument; none: the recorder's default
	runs     int            // how often tests are recorded; 0: as often as is cheap
	explored explore.Budget // how far tests are run on beyond what is recorded
	seed     int            // of the first order of chance
	shard    *report.Shard  // the part of the packages that are tested; nil: all of them
	timings  *report.Report // of an earlier run, by which packages are shared out; nil: unknown
	budget   time.Duration  // for all of a run; 0: no bound
	timeout  time.Duration  // for replays; 0: the subcommand's default

	// What becomes of what is found.
	failOn    []string          // what makes the run fail: words of the table below, kinds, or "effect"
	witnesses string            // folder for witnesses, below each package's, or absolute; committed, they are regression tests
	files     map[string]string // for the report, by their formats
	github    bool              // tell GitHub Actions

	// What is known, and fails no run.
	baseline      string // file of known bugs; "" for none
	baselineWrite string // file to write those to that are confirmed
	newFrom       string // git revision: only bugs that touch what was changed since fail
	keep          string // folder to keep the run's files in; "" for none
}

// defaultOptions are those of a run without any: what is not named here is the zero value.
func defaultOptions() options {
	return options{
		seed:      1,
		witnesses: "testdata/predict",
		failOn:    append(bug.Words(bug.Gating()), "effect"),
		github:    os.Getenv("GITHUB_ACTIONS") == "true",
	}
}

// analysis returns the options for the analysis of a trace.
func (o *options) analysis() analysis.Options {
	return analysis.Options{Kinds: o.kinds, Patterns: o.patterns, Properties: o.properties, Solving: o.solving()}
}

// explore returns the options for runs and traces.
func (o *options) explore() explore.Options {
	return explore.Options{
		Analysis: o.analysis(), Methods: o.methods, Witnesses: o.witnesses,
		Keep: o.keep != "", Timeout: o.timeout, Runs: o.runs, Explore: o.explored, Seed: o.seed,
	}
}

// optionInfo is one row of the table of options. All there is to say of one option
// stands in its row: what values it takes and how help describes it. A flag that
// users can pass to their own test binary, -predict.NAME with package gotestplugin, ends
// here, too. A new option is a field above, a row, and what the field does.
type optionInfo struct {
	// set reads the value. Its error says what is wrong with that; the option's name comes
	// before it.
	set func(o *options, value string) error
	// help has the default in parentheses at its end; \n\t\t goes to the next line.
	help string
}

// optionTable has the options by their names, without prefix.
var optionTable = withFormats(map[string]optionInfo{
	"kinds": {func(o *options, v string) error {
		words, err := parseWords(v, bug.Words(bug.Kinds()))
		o.kinds = nil
		for _, word := range words {
			o.kinds = append(o.kinds, bug.Kind(word))
		}
		return err
	}, "kinds of bugs to look for, by commas\n\t\t(" + strings.Join(bug.Words(bug.Kinds()), ",") + ")"},
	// On by itself where it is of use; off for who reports in another way.
	"github": {func(o *options, v string) error {
		words, err := parseWords(v, []string{"on", "off"})
		o.github = err == nil && words[0] == "on"
		return err
	}, "on or off: annotations and a summary for GitHub Actions (on under\n\t\tGITHUB_ACTIONS)"},
	// An absolute one is for sources that nobody may write to.
	"witnesses": {func(o *options, v string) error {
		if !filepath.IsLocal(v) && !filepath.IsAbs(v) {
			return fmt.Errorf("expected a folder below the package's, relative to it, or an absolute path")
		}
		o.witnesses = v
		return nil
	}, "folder for witnesses, below each package's folder, or an absolute path\n\t\t(testdata/predict)"},
	"budget": {setter(parseDuration, func(o *options) *time.Duration { return &o.budget }),
		"time for all of a run, the build and the tests included; what was found by\n\t\tthen is reported (no bound)"},
	"timeout": {setter(parseDuration, func(o *options) *time.Duration { return &o.timeout }),
		"time for all replays of a run together (all after recording takes as\n\t\tlong as that and 10s); of gopredict replay: for each (1m)"},
	"shard": {setter(parseShard, func(o *options) **report.Shard { return &o.shard }),
		"I/N: the packages of one of N machines, from 1; \"auto\", or \"auto/N\":\n\t\twhich one this is the runner's variables say; see merge (all packages)"},
	// Read at once, so that a missing file is reported before anything runs.
	"timings": {setter(readTimings, func(o *options) **report.Report { return &o.timings }),
		"JSON report of an earlier run, by whose times the packages are shared out\n\t\tamong shards"},
	// What is only predicted is no word here: it never fails a run.
	"fail-on": {func(o *options, v string) (err error) {
		o.failOn, err = parseWords(v, append([]string{"effect", "all", "none", "incomplete"}, bug.Words(bug.Kinds())...))
		return err
	}, "what confirmed bugs fail the run, by commas: kinds, \"effect\" for any\n\t\tbug with an effect, \"all\", or \"none\"; and \"incomplete\": not all was\n\t\treplayed (" + strings.Join(defaultOptions().failOn, ",") + ")"},
	// Without it the number follows from what the first recording costs: see package explore.
	"runs": {setter(parseNumber, func(o *options) *int { return &o.runs }),
		"how often to record tests with several goroutines, each time in another\n\t\torder of these; 1: only in the order of go test (as often as costs little)"},
	// Ordinary runs make a few that cost little: see package explore.
	"explore": {setter(parseBudget, func(o *options) *explore.Budget { return &o.explored }),
		"how far tests with several goroutines are run on, each run so that it\n\t\tshows something new: N runs of each test, a duration for all, \"all\" until\n\t\tnothing is left, or \"off\" (a few runs)"},
	// The same for each run unless it is asked for, so that a run can be repeated.
	"seed": {setter(parseNumber, func(o *options) *int { return &o.seed }),
		"where the orders of chance begin, in which goroutines are recorded and\n\t\texplored (1)"},
	// For who wants to look into a run: nothing there is read by a later one.
	"keep": {setter(parseText, func(o *options) *string { return &o.keep }),
		"folder to keep the run's traces, binaries and rewritten files in"},
	// Which patterns match is for the recorder to say, which knows the build. One that
	// matches nothing is a warning of the report.
	"pkgs": {func(o *options, v string) error {
		o.pkgs = strings.Split(v, ",")
		if slices.Contains(o.pkgs, "") {
			return fmt.Errorf("expected patterns of packages, by commas")
		}
		return nil
	}, "packages whose memory accesses are recorded, by commas: patterns as of\n\t\tgo list, \"all\", \"std\", or \"work\" for those of the main module (work)"},
	// By a type that holds a mutex its author says that its methods belong together; it
	// is no default, as many are meant to be called one by one.
	"atomic": {func(o *options, v string) error {
		words, err := parseWords(v, []string{"sections", "methods"})
		o.methods = slices.Contains(words, "methods")
		return err
	}, "what is meant to be atomic besides functions below a comment\n\t\t//gopredict:atomic, by commas: critical \"sections\", which always are, and\n\t\t\"methods\" of structs that hold a mutex (sections)"},
	// Asked for once here, so that a machine without Z3 says so before the tests run.
	"solver": {(*options).setSolver,
		"what decides the candidates that nothing else decides: builtin, z3, or\n\t\tboth, which checks one against the other (builtin)"},
	"smt2": {(*options).setQueries,
		"folder to write the questions to the solver to, as SMT-LIB 2 text"},
	"baseline": {setter(parseText, func(o *options) *string { return &o.baseline }),
		"file of known bugs, which fail no run; -predict.baseline-write makes it"},
	"baseline-write": {setter(parseText, func(o *options) *string { return &o.baselineWrite }),
		"file to write all confirmed bugs to, as known ones"},
	"new-from": {setter(parseText, func(o *options) *string { return &o.newFrom }),
		"git revision: bugs that touch no line that was changed since fail no run"},
	// Read at once: an error in the file, with its line, comes before the tests run.
	"patterns": {setter(readPatterns, func(o *options) *[]anomaly.Pattern { return &o.patterns }),
		"file of patterns of accesses to look for besides the built-in ones"},
})

// withFormats adds to a table of options those that name the files of formats.
func withFormats(table map[string]optionInfo) map[string]optionInfo {
	for name, format := range formats {
		table[name] = optionInfo{func(o *options, v string) error {
			o.addFile(name, v)
			return nil
		}, "file to write the report to, " + format.help}
	}
	return table
}

// addFile has the report written to a file, too, in one of the formats.
func (o *options) addFile(format, name string) {
	if o.files == nil {
		o.files = make(map[string]string)
	}
	o.files[format] = name
}

// setter returns the set of an option whose value parse reads into a field.
func setter[T any](parse func(value string) (T, error), field func(*options) *T) func(*options, string) error {
	return func(o *options, v string) (err error) {
		*field(o), err = parse(v)
		return err
	}
}

func parseText(v string) (string, error) { return v, nil }

// parseNumber parses a number from 1.
func parseNumber(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		err = fmt.Errorf("expected a number from 1")
	}
	return n, err
}

func readTimings(file string) (*report.Report, error) { return report.ReadFile(file, file) }

func readPatterns(file string) ([]anomaly.Pattern, error) {
	text, err := given.Read(file, maxPatterns)
	if err != nil {
		return nil, err
	}
	return anomaly.ParsePatterns(file, string(text))
}

// maxPatterns is the size of the largest file of patterns that is read, in bytes.
const maxPatterns = 1 << 20

// parseDuration parses a time that is allowed.
func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err == nil && d <= 0 {
		err = fmt.Errorf("expected a duration above 0, such as 30s")
	}
	return d, err
}

// parseBudget parses how far tests are explored.
func parseBudget(v string) (b explore.Budget, err error) {
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return explore.Budget{Runs: n}, nil
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		return explore.Budget{Time: d}, nil
	}
	switch v {
	case "all":
		return explore.Budget{All: true}, nil
	case "off":
		return explore.Budget{Off: true}, nil
	}
	return b, fmt.Errorf("expected a number of runs, a duration such as 30s, all, or off")
}

// parseWords parses a comma-separated list of words out of known. A word that is not known is
// an error, not ignored: with a typo in -predict.kinds nothing would be found.
func parseWords(v string, known []string) ([]string, error) {
	words := strings.Split(v, ",")
	for _, w := range words {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("unknown word %q; known are %s", w, strings.Join(known, ", "))
		}
	}
	return words, nil
}

// set sets one option; where names it as the user wrote it.
func (o *options) set(name, value, where string) error {
	info, ok := optionTable[name]
	if !ok {
		return usagef("unknown option %s; `gopredict help` lists them", where)
	}
	if err := info.set(o, value); err != nil {
		return usagef("%s=%s: %v", where, value, err)
	}
	return nil
}

// parseOptions reads the options out of the environment variable's value and
// the arguments of the command, and returns the other arguments. Those are go test's to
// understand: flag's parser would stop at the first one that it does not know.
func parseOptions(env string, args []string) (o options, rest []string, err error) {
	o = defaultOptions()
	for _, word := range strings.Fields(env) {
		name, value, _ := strings.Cut(word, "=")
		if err := o.set(name, value, envVar+": "+name); err != nil {
			return o, nil, err
		}
	}
	for unread := arguments(args); len(unread) > 0; {
		arg := unread.next()
		if arg.is("args") || arg.text == "--" { // the rest is for the test binary
			return o, slices.Concat(rest, []string{arg.text}, unread), nil
		}
		name, isOption := strings.CutPrefix(arg.flag, prefix)
		if arg.is("predict") { // habit: this is what the command does
			continue
		}
		if !isOption { // a word, or go test's
			rest = append(rest, arg.text)
			continue
		}
		value, ok := unread.valueOf(arg)
		if !ok {
			return o, nil, usagef("-%s%s needs a value", prefix, name)
		}
		if err := o.set(name, value, "-"+prefix+name); err != nil {
			return o, nil, err
		}
	}
	return o, rest, nil
}

// fails reports whether f makes the run fail: it is confirmed, not known, and of one of the kinds, or
// has an effect, that -predict.fail-on names. What is only predicted never does.
func (o *options) fails(f *report.Finding) bool {
	if f.Status != bug.Confirmed || f.Suppressed != nil {
		return false
	}
	for _, word := range o.failOn {
		switch {
		case word == "all", word == string(f.Kind) && !f.Warns(), word == "effect" && f.Effect != bug.NoEffect:
			return true
		}
	}
	return false
}
