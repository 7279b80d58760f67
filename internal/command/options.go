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
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/untrusted"
)

// envVar is the environment variable that holds options for every run, as
// "name=value name=value"; the command line wins over it.
const envVar = "GOPREDICT"

// prefix begins the names of gopredict's flags. No flag of go test begins so, now or later, and the
// same names work as flags of a test binary.
const prefix = "predict."

// Options are the -predict.NAME flags of all subcommands. The zero value of most leaves the default
// to the room that uses it.
type options struct {
	// What to look for, in each trace.
	kinds         []bug.Kind          // kinds of bugs to look for; none: all
	patterns      []anomaly.Pattern   // further patterns of accesses to look for
	properties    []property.Property // those that the tests declare, of all packages
	atomicMethods bool                // methods of structs that hold a mutex are atomic regions
	solver        func(*solver.Formula) (solver.Engine, error)
	queries       *queryFolder // nil: not written

	// How far to go.
	pkgs              []string       // patterns of packages to instrument; none: the recorder's default
	runs              int            // how often tests are recorded; 0: as often as is cheap
	explorationBudget explore.Budget // how far tests are explored beyond the recordings
	seed              int            // of the first random order
	shard             *report.Shard  // the part of the packages that are tested; nil: all of them
	timings           *report.Report // the report of an earlier run, whose times balance the shards; nil: none
	runBudget         time.Duration  // for all of a run; 0: no bound
	replayTimeout     time.Duration  // for replays; 0: the subcommand's default

	// What to do with findings.
	failOn      []string          // what makes the run fail: words of the table below, kinds, or "effect"
	witnesses   string            // folder for witnesses, below each package's, or absolute; committed, they are regression tests
	reportFiles map[string]string // for the report, by their formats
	forGitHub   bool              // tell GitHub Actions

	// Which findings are known, and fail no run.
	baseline      string // file of known bugs; "" for none
	baselineWrite string // file to write those to that are confirmed
	newFrom       string // git revision: only bugs that touch what was changed since fail
	keepFolder    string // folder to keep the run's files in; "" for none
}

// defaultOptions returns the options of a run without flags.
func defaultOptions() options {
	return options{
		seed:      1,
		witnesses: "testdata/predict",
		failOn:    append(bug.KindNames(bug.GatingKinds()), "effect"),
		forGitHub: os.Getenv("GITHUB_ACTIONS") == "true",
	}
}

// analysisOptions returns the options for the analysis of a trace.
func (o *options) analysisOptions() analysis.Options {
	return analysis.Options{Kinds: o.kinds, Patterns: o.patterns, Properties: o.properties, Solving: o.solvingOptions()}
}

// explorationOptions returns the options for runs and traces.
func (o *options) explorationOptions() explore.Options {
	return explore.Options{
		Analysis: o.analysisOptions(), AtomicMethods: o.atomicMethods, WitnessFolder: o.witnesses,
		KeepFiles: o.keepFolder != "", Recordings: o.runs, Explore: o.explorationBudget, FirstSeed: o.seed,
	}
}

// An optionInfo is a row of the table of options: how its value is read, and its help. The flags of
// test binaries with package gotestplugin, -predict.NAME, are the same. A new option is a field of
// options, a row here, and the use of the field.
type optionInfo struct {
	// parse reads the value. Its error says what is wrong with the value, without the option's name.
	parse func(o *options, value string) error
	// help has the default in parentheses at its end; \n\t\t goes to the next line.
	help string
}

// optionTable has the options by their names, without prefix.
var optionTable = withFormats(map[string]optionInfo{
	"kinds": {func(o *options, v string) error {
		words, err := parseWords(v, bug.KindNames(bug.Kinds()))
		o.kinds = nil
		for _, word := range words {
			o.kinds = append(o.kinds, bug.Kind(word))
		}
		return err
	}, "kinds of bugs to look for, by commas\n\t\t(" + strings.Join(bug.KindNames(bug.Kinds()), ",") + ")"},
	// It is on by default where it is useful, and can be turned off.
	"github": {func(o *options, v string) error {
		words, err := parseWords(v, []string{"on", "off"})
		o.forGitHub = err == nil && words[0] == "on"
		return err
	}, "on or off: annotations and a summary for GitHub Actions (on under\n\t\tGITHUB_ACTIONS)"},
	// An absolute path is for sources in folders that are read-only.
	"witnesses": {func(o *options, v string) error {
		if !filepath.IsLocal(v) && !filepath.IsAbs(v) {
			return fmt.Errorf("expected a folder below the package's, relative to it, or an absolute path")
		}
		o.witnesses = v
		return nil
	}, "folder for witnesses, below each package's folder, or an absolute path\n\t\t(testdata/predict)"},
	"budget": {setter(parseDuration, func(o *options) *time.Duration { return &o.runBudget }),
		"time for all of a run, the build and the tests included; what was found by\n\t\tthen is reported (no bound)"},
	"timeout": {setter(parseDuration, func(o *options) *time.Duration { return &o.replayTimeout }),
		"time for all replays of a run together (all after recording takes as\n\t\tlong as that and 10s); of gopredict replay: for each (1m)"},
	"shard": {setter(parseShard, func(o *options) **report.Shard { return &o.shard }),
		"I/N: the packages of one of N machines, from 1; \"auto\", or \"auto/N\":\n\t\twhich one this is the runner's variables say; see merge (all packages)"},
	// Read at once, so that a missing file is reported before anything runs.
	"timings": {setter(readTimings, func(o *options) **report.Report { return &o.timings }),
		"JSON report of an earlier run, by whose times the packages are shared out\n\t\tamong shards"},
	// There is no word for predictions: they never fail a run.
	"fail-on": {func(o *options, v string) (err error) {
		o.failOn, err = parseWords(v, append([]string{"effect", "all", "none", "incomplete"}, bug.KindNames(bug.Kinds())...))
		return err
	}, "what confirmed bugs fail the run, by commas: kinds, \"effect\" for any\n\t\tbug with an effect, \"all\", or \"none\"; and \"incomplete\": not all was\n\t\treplayed (" + strings.Join(defaultOptions().failOn, ",") + ")"},
	// Without it the number follows from what the first recording costs: see package explore.
	"runs": {setter(parseNumber, func(o *options) *int { return &o.runs }),
		"how often to record tests with several goroutines, each time in another\n\t\torder of these; 1: only in the order of go test (as often as costs little)"},
	// Ordinary runs make a few that cost little: see package explore.
	"explore": {setter(parseBudget, func(o *options) *explore.Budget { return &o.explorationBudget }),
		"how far tests with several goroutines are run on, each run so that it\n\t\tshows something new: N runs of each test, a duration for all, \"all\" until\n\t\tnothing is left, or \"off\" (a few runs)"},
	// The same for each run unless it is asked for, so that a run can be repeated.
	"seed": {setter(parseNumber, func(o *options) *int { return &o.seed }),
		"where the orders of chance begin, in which goroutines are recorded and\n\t\texplored (1)"},
	// No later run reads what is kept.
	"keep": {setter(parseText, func(o *options) *string { return &o.keepFolder }),
		"folder to keep the run's traces, binaries and rewritten files in"},
	// The recorder, which knows the build, warns of patterns that match nothing.
	"pkgs": {func(o *options, v string) error {
		o.pkgs = strings.Split(v, ",")
		if slices.Contains(o.pkgs, "") {
			return fmt.Errorf("expected patterns of packages, by commas")
		}
		return nil
	}, "packages whose memory accesses are recorded, by commas: patterns as of\n\t\tgo list, \"all\", \"std\", or \"work\" for those of the main module (work)"},
	// A mutex in a struct suggests that its methods are atomic. That is no default, since the calls of
	// many types may interleave.
	"atomic": {func(o *options, v string) error {
		words, err := parseWords(v, []string{"sections", "methods"})
		o.atomicMethods = slices.Contains(words, "methods")
		return err
	}, "what is meant to be atomic besides functions below a comment\n\t\t//gopredict:atomic, by commas: critical \"sections\", which always are, and\n\t\t\"methods\" of structs that hold a mutex (sections)"},
	// The solver is tried at once, so that a missing Z3 is reported before the tests run.
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

// withFormats adds an option for the file of each format to a table.
func withFormats(table map[string]optionInfo) map[string]optionInfo {
	for name, format := range reportFormats {
		table[name] = optionInfo{func(o *options, v string) error {
			o.addFile(name, v)
			return nil
		}, "file to write the report to, " + format.help}
	}
	return table
}

// addFile adds a file that the report is written to, in one of the formats.
func (o *options) addFile(format, name string) {
	if o.reportFiles == nil {
		o.reportFiles = make(map[string]string)
	}
	o.reportFiles[format] = name
}

// setter returns the function set of an option that parses its value into a field.
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
	text, err := untrusted.Read(file, maxPatterns)
	if err != nil {
		return nil, err
	}
	return anomaly.ParsePatterns(file, string(text))
}

// parseDuration parses a duration above zero.
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
		return explore.Budget{RunsPerTest: n}, nil
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		return explore.Budget{TotalTime: d}, nil
	}
	switch v {
	case "all":
		return explore.Budget{UntilComplete: true}, nil
	case "off":
		return explore.Budget{NoExploration: true}, nil
	}
	return b, fmt.Errorf("expected a number of runs, a duration such as 30s, all, or off")
}

// parseWords parses a comma-separated list of known words. An unknown word is an error: with a typo
// in -predict.kinds nothing would be found.
func parseWords(v string, known []string) ([]string, error) {
	words := strings.Split(v, ",")
	for _, w := range words {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("unknown word %q; known are %s", w, strings.Join(known, ", "))
		}
	}
	return words, nil
}

// set sets one option. Where is what the user wrote for its name.
func (o *options) set(name, value, where string) error {
	info, ok := optionTable[name]
	if !ok {
		return usagef("unknown option %s; `gopredict help` lists them", where)
	}
	if err := info.parse(o, value); err != nil {
		return usagef("%s=%s: %v", where, value, err)
	}
	return nil
}

// parseOptions reads the options from the value of the environment variable and from the arguments
// of the command, and returns the other arguments. These are go test's, so package flag, which
// stops at the first unknown flag, cannot parse them.
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
		if arg.isBareFlag("args") || arg.text == "--" { // the rest is for the test binary
			return o, slices.Concat(rest, []string{arg.text}, unread), nil
		}
		name, isOption := strings.CutPrefix(arg.flag, prefix)
		if arg.isBareFlag("predict") { // from habit; it is what the command does
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

// failsRun reports whether f makes the run fail: it is confirmed and not suppressed, and -predict.fail-on
// names its kind or its effect. Predictions never do.
func (o *options) failsRun(f *report.Finding) bool {
	if f.Status != bug.Confirmed || f.Suppressed != nil {
		return false
	}
	for _, word := range o.failOn {
		switch {
		case word == "all", word == string(f.Kind) && !f.OnlyWarns(), word == "effect" && f.Effect != bug.NoEffect:
			return true
		}
	}
	return false
}

// Arguments are the arguments of a command line that are still to be read.
type arguments []string

// An argument is a flag or a word of a command line.
type argument struct {
	text     string // as it was typed
	flag     string // the name of a flag, without dashes; "" if it is none
	value    string // what follows "=" in a flag
	hasValue bool
}

// next takes the first of the arguments. Flags have one dash or two, as package flag takes them.
func (a *arguments) next() argument {
	arg := argument{text: (*a)[0]}
	*a = (*a)[1:]
	if arg.isFlag() {
		arg.flag, arg.value, arg.hasValue = strings.Cut(strings.TrimPrefix(arg.text[1:], "-"), "=")
	}
	return arg
}

// isFlag reports whether an argument begins with a dash. A lone dash counts, too.
func (arg argument) isFlag() bool { return strings.HasPrefix(arg.text, "-") }

// isBareFlag reports whether an argument is the flag of that name, without a value.
func (arg argument) isBareFlag(flag string) bool { return arg.flag == flag && !arg.hasValue }

// valueOf returns the value of a flag: what follows "=", or else the next argument, which it
// takes. It reports whether there is one.
func (a *arguments) valueOf(flag argument) (value string, ok bool) {
	switch {
	case flag.hasValue:
		return flag.value, true
	case len(*a) == 0:
		return "", false
	}
	return a.next().text, true
}
