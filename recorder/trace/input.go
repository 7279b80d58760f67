package trace

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A HiddenInput says that a test depended on something that no event records. Its behaviour may
// differ in another run although nothing in the trace does.
type HiddenInput struct {
	Test   string // its name in Goroutine.Test; "" outside of tests
	Source string // one of those of hiddenInputs, such as clock or files
}

// hiddenInputs are what a test can look at without an event: the word in the file, and what messages
// call it.
var hiddenInputs = []struct {
	word, phrase string
	isOutside    bool // it comes from outside of the program, so that replays may find another
	isChance     bool // it may be another in each run of go test
}{
	{"length", "the length of a channel", false, false},
	{"goroutines", "how many goroutines there are", false, false},
	{"result", "whether a test has failed", false, false},
	{"clock", "the clock", true, true},
	{"files", "files", true, false},
	{"network", "the network", true, false},
	{"environment", "the environment", true, false},
	{"processes", "other processes", true, false},
	{"chance", "crypto/rand", true, true},
	{"random", "random numbers", false, true},
	{"maps", "the order of a map", false, true},
	{"pools", "what a sync.Pool has kept", false, true},
	{"processors", "the number of processors", false, true},
	{earlierTests, "what earlier tests have left", false, true},
	{hiddenState, "the state of packages whose memory is not recorded", false, false},
}

// earlierTests is the word for what earlier tests have left, which follows from the events of
// several tests: see [Trace.NoteEarlierTests].
const earlierTests = "tests"

// hiddenState is the word for what packages without events of their memory keep under locks: see
// [Trace.NoteHiddenState].
const hiddenState = "state"

// indexOfInput returns the index in hiddenInputs of a word; -1 if it is none.
func indexOfInput(word string) int {
	for k := range hiddenInputs {
		if hiddenInputs[k].word == word {
			return k
		}
	}
	return -1
}

// Describe returns what messages call the input.
func (h HiddenInput) Describe() string {
	if k := indexOfInput(h.Source); k >= 0 {
		return hiddenInputs[k].phrase
	}
	return h.Source
}

// IsOutside reports whether the input comes from outside of the program, so that a replay may find
// another one.
func (h HiddenInput) IsOutside() bool {
	k := indexOfInput(h.Source)
	return k >= 0 && hiddenInputs[k].isOutside
}

// IsChance reports whether the input may be another in each run of go test, whatever the order of
// goroutines.
func (h HiddenInput) IsChance() bool {
	k := indexOfInput(h.Source)
	return k >= 0 && hiddenInputs[k].isChance
}

// hiddenInputWords returns the words of inputs.
func hiddenInputWords() (words []string) {
	for _, h := range hiddenInputs {
		words = append(words, h.word)
	}
	return words
}

// NoteEarlierTests adds a hidden input for each test that reads what an earlier test of the run has
// written. Such a test may behave otherwise alone, or after others.
func (t *Trace) NoteEarlierTests() {
	tests := t.numberTests()
	if len(tests.names) < 3 { // one, and what is outside of tests
		return
	}
	type variable struct {
		addr       uint64
		generation int32
	}
	writers := make(map[variable]int32) // the tests that have written last
	noted := make([]bool, len(tests.names))
	generations := NewGenerations(t)
	for i := range t.Events {
		e := &t.Events[i]
		test := tests.of[e.G]
		if test == 0 || !e.Kind.IsAccess() || IsTestingFunction(t.Sites[e.Site].Func) {
			continue
		}
		v := variable{e.Obj, generations.Of(i)}
		if writer := writers[v]; e.Kind != Write && e.Kind != AtomicStore && writer != 0 && writer != test {
			noted[test] = true
		}
		if e.Kind.IsWrite() {
			writers[v] = test
		}
	}
	for k, found := range noted {
		if h := (HiddenInput{tests.names[k], earlierTests}); found && !slices.Contains(t.HiddenInputs, h) {
			t.HiddenInputs = append(t.HiddenInputs, h)
		}
	}
}

// NoteHiddenState adds a hidden input for each test of which two goroutines have critical sections of
// one lock, not only as readers, in a package whose memory has no events: a templates' set, say, or
// the routes of a server. What they find there depends on their order, and no event shows it.
func (t *Trace) NoteHiddenState() {
	recorded := make(map[string]bool) // files with events of memory
	for _, s := range t.Sites {
		if s.Op != "" {
			recorded[s.packageFile()] = true
		}
	}
	type lock struct {
		test string
		addr uint64
	}
	type user struct {
		g               GID
		several, writes bool
	}
	users := make(map[lock]user)
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Kind.Acquires() {
			continue
		}
		test, s := t.Goroutines[e.G].Test, t.Sites[e.Site]
		if test == "" || !s.isForeign() || recorded[s.packageFile()] || ordersNothingHidden(s.Func) {
			continue
		}
		l := lock{test, e.Obj}
		u, known := users[l]
		u.several = u.several || known && u.g != e.G
		u.writes = u.writes || e.Kind == Acquire
		u.g = e.G
		users[l] = u
		if h := (HiddenInput{test, hiddenState}); u.several && u.writes && !slices.Contains(t.HiddenInputs, h) {
			t.HiddenInputs = append(t.HiddenInputs, h)
		}
	}
}

// packageFile returns the name of the site's file after the path of its package, which is the same
// however the package was built.
func (s *Site) packageFile() string {
	return packageOf(s.Func) + "/" + path.Base(filepath.ToSlash(s.File))
}

// isForeign reports whether a site is in the standard library, or in another module in the module
// cache.
func (s *Site) isForeign() bool {
	dir, pkg := path.Dir(filepath.ToSlash(s.File)), packageOf(s.Func)
	first, _, _ := strings.Cut(pkg, "/")
	return strings.Contains(dir, "@v") || !strings.Contains(first, ".") && (dir == pkg || strings.HasSuffix(dir, "/src/"+pkg))
}

// packageOf returns the import path of the function with this full name, as the linker has it.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// ordersNothingHidden reports whether critical sections of the function with this full name may come
// in any order, or have events that tell it: package testing only counts and prints, loggers print,
// and contexts have their errors in atomic variables.
func ordersNothingHidden(function string) bool {
	switch packageOf(function) {
	case "testing":
		return true
	case "context":
		return function != "context.Cause"
	case "log":
		return strings.HasSuffix(function, ").output")
	}
	return false
}

// numberedTests are the tests of a trace, by number; number 0 is what is outside of tests.
type numberedTests struct {
	names []string
	of    []int32 // by goroutine
}

// numberTests numbers the tests of t.
func (t *Trace) numberTests() numberedTests {
	all := numberedTests{names: []string{""}, of: make([]int32, len(t.Goroutines))}
	numbers := map[string]int32{"": 0}
	for g := range t.Goroutines {
		test := t.Goroutines[g].Test
		n, known := numbers[test]
		if !known {
			n = int32(len(all.names))
			numbers[test], all.names = n, append(all.names, test)
		}
		all.of[g] = n
	}
	return all
}
