package causality_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// figure1 is Figure 1 of the paper, in an order in which it can happen. In Go
// a waiter is woken before it has its lock again.
const figure1 = `
	0 fork 1
	0 fork 2
	1 begin
	2 begin
	1 acq l3         // a0
	1 acq l1         // a1
	1 wait c#0       // a2
	1 rel l1         // a3
	2 acq l1         // b0
	2 signal c#1     // b1
	2 rel l1         // b2
	1 wake c#0       // a5
	1 acq l1         // a4
	1 acq l2         // a6
	1 rel l3         // a7
	1 rel l1         // a8
	1 w sh           // a9
	1 rel l2         // a10
	2 acq l1         // b3
	2 acq l3         // b4
	2 rel l1         // b5
	2 acq l2         // b6
	2 rel l2         // b7
	2 rel l3         // b8
	2 w sh           // b9
	2 w other        // b10`

func model(t testing.TB, text string) (*trace.Trace, *causality.Model) {
	t.Helper()
	tr := tracetest.Parse(t, text)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return tr, causality.New(tr, o)
}

// names returns the paper's names of events.
func names(text string, events []int) (names []string) {
	lines := strings.Split(strings.TrimPrefix(text, "\n"), "\n")
	for _, i := range events {
		_, name, _ := strings.Cut(lines[i], "// ")
		names = append(names, name)
	}
	return names
}

// named returns the position of the event with the paper's name.
func named(text, name string) int {
	for i, line := range strings.Split(strings.TrimPrefix(text, "\n"), "\n") {
		if strings.HasSuffix(line, "// "+name) {
			return i
		}
	}
	return -1
}

// without returns text without the lines that have one of the words.
func without(text string, words ...string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, " "+w+" ") })
	}), "\n")
}

func TestFigure1(t *testing.T) {
	_, m := model(t, figure1)
	race := m.Meeting(named(figure1, "a9"), named(figure1, "b9"))
	for _, g := range []*causality.Graph{m.Whole(race), m.Chopped(race)} {
		if got, want := names(figure1, g.Cycle(0)), []string{"a0", "a2", "b1", "b8"}; !slices.Equal(got, want) {
			t.Errorf("cycle %v, want %v", got, want)
		}
		var edges []string
		for _, e := range g.Edges(0) {
			edges = append(edges, strings.Join(names(figure1, []int{e.From, e.To}), "⇝"))
		}
		for _, want := range []string{"a8⇝b9", "b8⇝a9", "a2⇝b1", "b7⇝a6", "b8⇝a0"} {
			if !slices.Contains(edges, want) {
				t.Errorf("no edge %s among %v", want, edges)
			}
		}
	}
	for _, part := range []struct {
		name, text string
	}{
		{"locks", without(figure1, "wait", "signal", "wake")},
		{"wait and notify", without(figure1, "acq", "rel")},
	} {
		_, m := model(t, part.text)
		a9, b9 := named(part.text, "a9"), named(part.text, "b9")
		if g := m.Whole(m.Meeting(a9, b9)); g.Cyclic() != 0 {
			t.Errorf("%s alone: cycle %v", part.name, names(part.text, g.Cycle(0)))
		}
	}
}

func TestGraph(t *testing.T) {
	for _, test := range []struct {
		name, text string
		cycle      string
	}{
		{"a signal that nobody needs to be woken by", `
			1 acq l
			1 w x      // i
			1 wait c#0
			1 rel l
			2 acq l
			2 signal c#1
			2 rel l
			2 w x      // j
			1 wake c#0
			1 acq l`, "[]"},
		{"sends come before the close", `
			1 acq l
			1 w x      // i
			1 rel l
			1 send c/1
			1 sent c#1/1
			1 w y
			2 acq l
			2 rel l
			2 close c/1
			2 w x      // j`, "[]"},
		{"a send that is needed comes before the close", `
			1 send c/1
			1 sent c#1/1
			1 acq l
			1 w x      // i
			1 rel l
			2 close c/1
			2 acq l
			2 rel l
			2 w x      // j`, "[]"},
		{"close under a lock before the send that it must follow", `
			1 acq l
			1 send c/1
			1 sent c#1/1
			1 w x      // i
			1 rel l
			2 acq l
			2 close c/1
			2 rel l
			2 w x      // j`, "[0 2 6 7]"},
		{"a section that the trace does not end", `
			1 acq l
			1 rel l
			1 post p
			1 w x      // i
			2 await p
			2 acq l
			2 w x      // j`, "[]"},
		{"an endless section before one that is needed", `
			1 acq l
			1 post p
			2 await p
			2 acq l
			2 rel l
			2 w x      // i
			1 w x      // j`, "[0 1 4]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, m := model(t, strings.ReplaceAll(test.text, "\t", ""))
			text := strings.ReplaceAll(test.text, "\t", "")
			g := m.Chopped(m.Meeting(named(text, "i"), named(text, "j")))
			if got := fmt.Sprint(g.Cycle(0)); got != test.cycle {
				t.Errorf("cycle %s, want %s", got, test.cycle)
			}
		})
	}
}

// TestLabels has a race that can happen and one that cannot in one graph.
func TestLabels(t *testing.T) {
	tr, m := model(t, `
		1 acq l
		1 post p
		1 w x
		1 rel l
		1 w y
		2 await p
		2 acq l
		2 rel l
		2 r x
		2 r y`)
	g := m.Chopped(m.Meeting(2, 8), m.Meeting(4, 9))
	if g.Cyclic() != 1 || g.Cycle(1) != nil {
		t.Errorf("cyclic %b, cycle of the second %v", g.Cyclic(), g.Cycle(1))
	}
	for _, i := range g.Cycle(0) {
		if i >= len(tr.Events) {
			t.Errorf("cycle %v", g.Cycle(0))
		}
	}
}
