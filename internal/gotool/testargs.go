package gotool

import (
	"fmt"
	"slices"
	"strings"
)

// A Flag is one flag as it stood on a command line. Name is without dashes
// and without "test."; a flag without "=value" that needs none has Value "".
type Flag struct {
	Name     string
	Value    string
	HasValue bool
}

// String returns the flag in the form that every flag accepts.
func (f Flag) String() string {
	if f.HasValue {
		return "-" + f.Name + "=" + f.Value
	}
	return "-" + f.Name
}

// TestArgs is a command line of `go test`, taken apart.
type TestArgs struct {
	ChangeDir  string // of -C; "" if not given
	Flags      []Flag // those that go test knows, in order, without -C
	Packages   []string
	BinaryArgs []string // for the test binary: unknown flags, and what follows -args
}

// ParseTest takes apart the arguments of a `go test`, by the rules of the go
// command: known flags before and after one run of package patterns; from the
// first unknown flag on there are no more patterns; after -args, and from the
// first other positional argument on, everything belongs to the test binary.
func ParseTest(args []string) (TestArgs, error) {
	var t TestArgs
	const (
		before = iota // no pattern seen yet
		inside
		after
	)
	state := before
	maybeValue := false // the argument before was an unknown flag without =value
	for first := true; len(args) > 0; first = false {
		arg := args[0]
		wasMaybeValue := maybeValue
		maybeValue = false
		name, value, hasValue, isFlag := splitFlag(arg)
		if !isFlag {
			if arg == "--" {
				t.BinaryArgs = append(t.BinaryArgs, args...)
				return t, nil
			}
			args = args[1:]
			switch {
			case state != after:
				state = inside
				t.Packages = append(t.Packages, arg)
			case wasMaybeValue:
				t.BinaryArgs = append(t.BinaryArgs, arg)
			default:
				t.BinaryArgs = append(append(t.BinaryArgs, arg), args...)
				return t, nil
			}
			continue
		}
		args = args[1:]
		if state == inside {
			state = after
		}
		if name == "args" && !hasValue {
			t.BinaryArgs = append(t.BinaryArgs, args...)
			return t, nil
		}
		info, known := lookUpFlag(name)
		if !known {
			state = after
			t.BinaryArgs = append(t.BinaryArgs, arg)
			maybeValue = !hasValue
			continue
		}
		if info.takesValue && !hasValue {
			if len(args) == 0 {
				return t, fmt.Errorf("flag needs an argument: -%s", name)
			}
			value, hasValue, args = args[0], true, args[1:]
		}
		if name == "C" {
			if !first {
				return t, fmt.Errorf("-C flag must be first flag on command line")
			}
			t.ChangeDir = value
			continue
		}
		if info.phases&passedToBinary != 0 {
			name = strings.TrimPrefix(name, "test.")
		}
		t.Flags = append(t.Flags, Flag{name, value, hasValue})
	}
	return t, nil
}

// splitFlag takes apart "-name", "--name", "-name=value".
func splitFlag(arg string) (name, value string, hasValue, isFlag bool) {
	name = strings.TrimPrefix(arg, "-")
	if name == arg || name == "" || name == "-" {
		return "", "", false, false
	}
	name = strings.TrimPrefix(name, "-")
	name, value, hasValue = strings.Cut(name, "=")
	return name, value, hasValue, true
}

// lookUpFlag finds a flag by its name or, if it goes to the test binary, by
// -test.NAME, which go test takes too.
func lookUpFlag(name string) (flagInfo, bool) {
	if info, ok := testFlags[name]; ok {
		return info, true
	}
	short, isTest := strings.CutPrefix(name, "test.")
	info, ok := testFlags[short]
	return info, isTest && ok && info.phases&passedToBinary != 0
}

// Lookup returns the value of the last flag called name, "true" for one that
// stood there without a value, and whether there is one at all.
func (t TestArgs) Lookup(name string) (string, bool) {
	for i := len(t.Flags) - 1; i >= 0; i-- {
		if f := t.Flags[i]; f.Name == name {
			if !f.HasValue {
				return "true", true
			}
			return f.Value, true
		}
	}
	return "", false
}

// IsSet reports whether the boolean flag called name is given and not false.
func (t TestArgs) IsSet(name string) bool {
	switch v, ok := t.Lookup(name); v {
	case "0", "f", "F", "false", "FALSE", "False":
		return false
	default:
		return ok
	}
}

// Without returns t without the flags of these names.
func (t TestArgs) Without(names ...string) TestArgs {
	return t.filter(func(f Flag) bool { return !slices.Contains(names, f.Name) })
}

func (t TestArgs) filter(ok func(Flag) bool) TestArgs {
	kept := make([]Flag, 0, len(t.Flags))
	for _, f := range t.Flags {
		if ok(f) {
			kept = append(kept, f)
		}
	}
	t.Flags = kept
	return t
}

// LoadFlags returns the flags that decide which files are compiled and how:
// what go list and go vet must be told to see the packages as go test does.
func (t TestArgs) LoadFlags() []string { return t.flagsOf(selectsFiles) }

// AsksForCoverage reports whether a flag asks for coverage.
func (t TestArgs) AsksForCoverage() bool {
	return t.IsSet("cover") || len(t.Without("cover").flagsOf(instrumentsCoverage)) > 0
}

// WithoutCoverage returns t without the flags that ask for coverage, and without
// those that name files to write.
func (t TestArgs) WithoutCoverage() TestArgs {
	return t.filter(func(f Flag) bool { return testFlags[f.Name].phases&(instrumentsCoverage|writesFile) == 0 })
}

func (t TestArgs) flagsOf(p phases) []string {
	var out []string
	for _, f := range t.Flags {
		if testFlags[f.Name].phases&p != 0 {
			out = append(out, f.String())
		}
	}
	return out
}

// Args puts the command line together again, with more flags after the
// user's, so that they win.
func (t TestArgs) Args(more ...string) []string {
	var out []string
	for _, f := range t.Flags {
		out = append(out, f.String())
	}
	out = append(out, more...)
	out = append(out, t.Packages...)
	if len(t.BinaryArgs) > 0 {
		out = append(append(out, "-args"), t.BinaryArgs...)
	}
	return out
}

// ParseFlags takes apart a list of flags alone, as GOFLAGS holds them; each
// has the form -name or -name=value.
func ParseFlags(flags []string) []Flag {
	var out []Flag
	for _, f := range flags {
		if name, value, hasValue, isFlag := splitFlag(f); isFlag {
			out = append(out, Flag{strings.TrimPrefix(name, "test."), value, hasValue})
		}
	}
	return out
}

// SplitWords splits a list of words as the go command does in GOFLAGS and
// -exec: at white space, where a word may stand in single or double quotes as
// a whole.
func SplitWords(s string) ([]string, error) {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return words, nil
		}
		if q := s[0]; q == '\'' || q == '"' {
			end := strings.IndexByte(s[1:], q)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c in %q", q, s)
			}
			words = append(words, s[1:1+end])
			s = s[end+2:]
			continue
		}
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		words = append(words, s[:end])
		s = s[end:]
	}
}

// JoinWords is the inverse of [SplitWords]. It fails for a word that holds
// both kinds of quotes, which the go command has no way to write.
func JoinWords(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\r\n'\""):
			quoted[i] = w
		case !strings.Contains(w, "'"):
			quoted[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			quoted[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("%q cannot be quoted for the go command: it holds both ' and \"", w)
		}
	}
	return strings.Join(quoted, " "), nil
}

// A phases is a set of steps of a `go test` that a flag takes part in.
type phases uint8

const (
	// selectsFiles: the flag decides which files are compiled, or how. Commands that load
	// or vet packages need it, or they see other packages than the test.
	selectsFiles phases = 1 << iota
	// instrumentsCoverage: the flag instruments for coverage.
	instrumentsCoverage
	// writesFile: the flag names a file that the run writes.
	writesFile
	// passedToBinary: the go command passes the flag to the test binary, as -test.NAME.
	passedToBinary
)

// A flagInfo is what this package knows of a flag of go test.
type flagInfo struct {
	takesValue bool // as -name=value or -name value
	phases     phases
}

// flagGroups are the flags that `go help test`, `go help testflag` and `go help build`
// document, by what they have in common. Any other flag belongs to the test binary.
var flagGroups = []struct {
	flagInfo
	names string // separated by spaces
}{
	{flagInfo{false, 0}, "a buildvcs c json n work x"}, // buildvcs is boolean, but also takes =auto
	{flagInfo{true, 0}, "C debug-actiongraph debug-runtime-trace debug-trace exec ldflags p vet"},
	{flagInfo{false, selectsFiles}, "asan linkshared modcacherw msan race trimpath"},
	{flagInfo{true, selectsFiles}, "asmflags buildmode compiler gccgoflags gcflags installsuffix mod modfile overlay pgo pkgdir tags toolexec"},
	{flagInfo{false, instrumentsCoverage}, "cover"},
	{flagInfo{true, instrumentsCoverage}, "covermode coverpkg"},
	{flagInfo{true, writesFile}, "o"},
	{flagInfo{false, passedToBinary}, "artifacts benchmem failfast fullpath short v"},
	{flagInfo{true, passedToBinary}, "bench benchtime blockprofilerate count cpu fuzz fuzzminimizetime fuzztime list memprofilerate mutexprofilefraction outputdir parallel run shuffle skip timeout"},
	{flagInfo{true, passedToBinary | writesFile}, "blockprofile cpuprofile memprofile mutexprofile trace"},
	{flagInfo{true, passedToBinary | instrumentsCoverage | writesFile}, "coverprofile"},
}

// testFlags has the flags of flagGroups by name.
var testFlags = make(map[string]flagInfo)

func init() {
	for _, group := range flagGroups {
		for _, name := range strings.Fields(group.names) {
			testFlags[name] = group.flagInfo
		}
	}
}
