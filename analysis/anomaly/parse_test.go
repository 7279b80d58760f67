package anomaly

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/internal/bug"
)

func TestBuiltin(t *testing.T) {
	kinds := make(map[bug.Kind]int)
	for _, p := range Builtin() {
		kinds[p.Kind()]++
		var types []string
		for _, e := range p.Events {
			name := "r"
			if e.Write {
				name = "w"
			}
			if p.Kind() == "atomic-set" {
				name += fmt.Sprint(e.Variable + 1)
			}
			types = append(types, name)
		}
		if name := strings.Join(types, "-"); name != p.Name {
			t.Errorf("pattern %s has events %s", p.Name, name)
		}
	}
	if want := map[bug.Kind]int{"race": 3, "atomicity": 5, "atomic-set": 9}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

func TestParse(t *testing.T) {
	text := `# three goroutines pass on
pattern relay   # a comment
  E   put  pass  pass2 take

  T   a    b     b     c
  SV  x    x     y     y
  AR  one  two   two   three
  AT  w    r     w     r`
	ps, err := ParsePatterns("f", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Pattern{{"relay", []PatternEvent{{"put", 0, 0, 0, true}, {"pass", 1, 0, 1, false}, {"pass2", 1, 1, 1, true}, {"take", 2, 1, 2, false}}}}
	if !reflect.DeepEqual(ps, want) {
		t.Errorf("%v, want %v", ps, want)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "# only a comment\n", `f:2:1: expected a pattern, found the end of the file`},
		{"no head", "E e1 e2", `f:1:1: expected "pattern" and a name, found "E"`},
		{"no name", "pattern", `f:1:1: expected a name after "pattern", found "pattern"`},
		{"long head", "pattern a b", `f:1:11: expected nothing after the name, found "b"`},
		{"name again", pattern("a", "t1 t2", "s s", "u1 u2", "w w") + pattern("a", "t1 t2", "s s", "u1 u2", "w w"),
			`f:7:9: expected a name that no other pattern has, found "a"`},
		{"missing row", "pattern a\nE e1 e2\nSV s s", `f:3:1: expected "T" and the goroutines, found "SV"`},
		{"end", "pattern a\nE e1 e2\nT t1 t2", `f:3:1: expected "SV" and the variables, found the end of the file`},
		{"one event", "pattern a\n\tE e1", `f:2:4: expected two events or more, found "e1"`},
		{"name of events again", "pattern a\nE é é", `f:2:5: expected another name for each event, found "é"`},
		{"short row", "pattern a\nE e1 e2 e3\nT t1 t2", `f:3:6: expected one word for each of 1 events after it, found "t2"`},
		{"long row", "pattern a\nE e1 e2\nT t1 t2 t1", `f:3:9: expected one word for each of 2 events, found "t1"`},
		{"access type", pattern("a", "t1 t2", "s s", "u1 u2", "w x"), `f:6:6: expected r or w, found "x"`},
		{"one goroutine", pattern("a", "t1 t1", "s s", "u1 u2", "w w"),
			`f:3:4: expected two goroutines that access one variable, at least one of them writing, found "t1"`},
		{"only reads", pattern("a", "t1 t2", "s s", "u1 u2", "r r"),
			`f:3:4: expected two goroutines that access one variable, at least one of them writing, found "t1"`},
		{"two goroutines in one region", pattern("a", "t1 t2", "s s", "u1 u1", "w w"),
			`f:5:7: expected a region of goroutine t2, as one region is of one goroutine, found "u1"`},
		{"back in a region", pattern("a", "t1 t1 t2 t1", "s s s s", "u1 u2 u3 u1", "w w w w"),
			`f:5:13: expected a region that goroutine t1 has not left before, found "u1"`},
	} {
		_, err := ParsePatterns("f", test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func pattern(name, t, sv, ar, at string) string {
	var events []string
	for k := range strings.Fields(t) {
		events = append(events, fmt.Sprint("e", k+1))
	}
	return fmt.Sprintf("pattern %s\nE  %s\nT  %s\nSV %s\nAR %s\nAT %s\n", name, strings.Join(events, " "), t, sv, ar, at)
}

func FuzzParsePatterns(f *testing.F) {
	for _, name := range []string{"race", "atomicity", "atomic-set"} {
		text, err := files.ReadFile("patterns/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(pattern("a", "t1 t2", "s s", "u1 u1", "w w"))
	f.Fuzz(func(t *testing.T, text string) {
		ps, err := ParsePatterns("f", text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || syntax.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("error %#v", err)
			}
			return
		}
		var again strings.Builder
		for _, p := range ps {
			again.WriteString(p.String())
		}
		same, err := ParsePatterns("f", again.String())
		if err != nil || !reflect.DeepEqual(ps, same) {
			t.Fatalf("%v, %v became\n%s", same, err, &again)
		}
	})
}

// TestComplete checks what the patterns are for (Vaziri, Tip and Dolby, §3): of
// two regions each of which writes both variables or none, an interleaving
// matches none of the patterns of regions if and only if it is serializable.
func TestComplete(t *testing.T) {
	var patterns []Pattern
	for _, p := range Builtin() {
		if p.Kind() != "race" {
			patterns = append(patterns, p)
		}
	}
	regions := [][]PatternEvent{nil}
	for n := 0; n < len(regions); n++ {
		if len(regions[n]) < 3 {
			for k := range 4 {
				regions = append(regions, append(regions[n][:len(regions[n]):len(regions[n])], PatternEvent{Variable: k / 2, Write: k%2 == 1}))
			}
		}
	}
	compared := 0
	for _, a := range regions {
		for _, b := range regions {
			if writesSome(a) || writesSome(b) {
				continue
			}
			interleave(nil, a, b, func(run []PatternEvent) {
				compared++
				matched := false
				for k := range patterns {
					matched = matched || matches(&patterns[k], run)
				}
				if matched == serializable(run) {
					t.Fatalf("%v: matched %v", run, matched)
				}
			})
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d interleavings", compared)
	}
}

// writesSome reports whether a region writes one variable and not the other.
func writesSome(region []PatternEvent) bool {
	var writes [2]bool
	for _, e := range region {
		writes[e.Variable] = writes[e.Variable] || e.Write
	}
	return writes[0] != writes[1]
}

// interleave calls yield with all interleavings of a, by goroutine 0, and b.
func interleave(run, a, b []PatternEvent, yield func([]PatternEvent)) {
	if len(a) == 0 && len(b) == 0 {
		yield(run)
	}
	if len(a) > 0 {
		e := a[0]
		e.Goroutine, e.Region = 0, 0
		interleave(append(run[:len(run):len(run)], e), a[1:], b, yield)
	}
	if len(b) > 0 {
		e := b[0]
		e.Goroutine, e.Region = 1, 1
		interleave(append(run[:len(run):len(run)], e), a, b[1:], yield)
	}
}

// serializable reports whether all conflicts have the same region first.
func serializable(run []PatternEvent) bool {
	var first [2]bool
	for j, b := range run {
		for _, a := range run[:j] {
			if a.Region != b.Region && a.Variable == b.Variable && (a.Write || b.Write) {
				first[a.Region] = true
			}
		}
	}
	return !first[0] || !first[1]
}

// matches reports whether run has the events of p in their order, for either
// choice of goroutines and variables.
func matches(p *Pattern, run []PatternEvent) bool {
	for swap := range 4 {
		next := 0
		for _, e := range run {
			if want := p.Events[next]; e.Write == want.Write && e.Region == want.Region^swap&1 && e.Variable == want.Variable^swap>>1 {
				if next++; next == len(p.Events) {
					return true
				}
			}
		}
	}
	return false
}
