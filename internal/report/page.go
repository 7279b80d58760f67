package report

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

//go:embed page.html
var pageText string

// pageTemplate writes a page.
var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes r as one page that needs no other files and no network. It lists the findings. Each
// has its places with their source, the outcome of each order, the cycle of waits, and the
// interleaving as swim lanes: a lane for each goroutine, time downwards. Steps that the text form
// leaves out are folded.
func WriteHTML(w io.Writer, r *Report) error {
	p := page{Report: r}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status == bug.Infeasible {
			p.Impossible++
			continue
		}
		v := newPageFinding(f)
		if f.Status != bug.Confirmed {
			p.Others = append(p.Others, v)
			continue
		}
		v.Open = len(p.Findings) < openAtFirst
		p.Findings = append(p.Findings, v)
	}
	p.Explored = r.exploredLines()
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, p); err != nil {
		return err
	}
	return b.Flush()
}

// A page is the data of the template.
type page struct {
	*Report
	Findings   []*pageFinding // confirmed
	Others     []*pageFinding
	Impossible int      // how many infeasible findings are left out
	Explored   []string // see Report.exploredLines
}

// A pageFinding is a finding with what the page derives from it.
type pageFinding struct {
	*Finding
	Open      bool
	Certainty string // see Finding.certainty
	Command   string // the command that replays it
	Cards     []pageAccess
	Circle    []waiter // see Finding.waitCycle
	Lanes     []pageLane
	Rows      []pageRow
	Hidden    int // steps that are folded
}

// A pageAccess is an access, with its source.
type pageAccess struct {
	Access
	What    string
	Source  []pageLine
	Nobody  string // the operation that would end its wait, if no goroutine ever did one
	Created bool   // the card says where its goroutine was created
}

// A pageLine is a line of the program.
type pageLine struct {
	File   string
	Number int
	Text   string
	Here   bool // it is the line of the access
}

// A pageLane is the lane of a goroutine, with Name above it.
type pageLane struct {
	Goroutine, Name, Created string
}

// A pageRow is a step, or the row of a fold.
type pageRow struct {
	*Step        // nil: a fold
	Number, Lane int
	Text         string
	Hidden       bool
	Left         bool   // the text is left of the lane, where there is more room
	Why          string // why the goroutine before stopped
	From         int    // its lane
	WhyLeft      bool   // as Left
	Edges        string // edges that end here, "KIND STEP", separated by spaces
	Gap          string // what is folded
	First, Last  int    // the numbers of its steps
}

// newPageFinding derives what the page shows of a finding.
func newPageFinding(f *Finding) *pageFinding {
	v := &pageFinding{Finding: f, Certainty: f.certainty(), Circle: f.waitCycle()}
	if f.Witness != "" {
		v.Command = "gopredict replay " + shellWord(f.Witness)
	}
	for i, a := range f.Accesses {
		card := pageAccess{Access: a, What: f.describeAccess(i), Source: f.sourceLinesAround(a.Position)}
		if f.Kind.Proof() == bug.BlockedForever && len(a.HeldBy)+len(a.Partners) == 0 {
			card.Nobody = whatEndsWait(a)
		}
		card.Created = a.CreatedAt != nil && f.isFirstOf(i)
		v.Cards = append(v.Cards, card)
	}
	v.addInterleaving()
	return v
}

// whatEndsWait returns the operation that would end the wait of a goroutine.
func whatEndsWait(a Access) string {
	on := cmp.Or(a.Name(), "it")
	switch a.Op {
	case "recv":
		return "a send to " + on + ", or a close of it"
	case "send":
		return "a receive from " + on
	case "wgwait":
		return "a Done of " + on
	case "wait":
		return "a signal or broadcast of " + on
	case "acq", "racq":
		return "an unlock of " + on
	}
	return "another goroutine"
}

// describeAccess says what access i is, with its role among the accesses.
func (f *Finding) describeAccess(i int) string {
	a := f.Accesses[i]
	what := a.Phrase()
	switch {
	case f.Kind.Role(i) != "":
		what = f.Kind.Role(i) + " " + what
	case i > 0 && a.Region > 0:
		what = "then " + what
	}
	return capitalized(what)
}

// sourceLinesAround returns the lines of the program around a position.
func (f *Finding) sourceLinesAround(at Position) []pageLine {
	var out []pageLine
	for _, e := range f.Source {
		for _, l := range e.pageLines(at.Line) {
			if l.File == at.File && l.Number >= at.Line-SourceContext && l.Number <= at.Line+SourceContext {
				out = append(out, l)
			}
		}
	}
	return out
}

// pageLines returns the lines of the excerpt, of which marked is the number of one.
func (e Excerpt) pageLines(marked int) (lines []pageLine) {
	for i, text := range e.Lines {
		lines = append(lines, pageLine{e.File, e.Line + i, untabbed(text), e.Line+i == marked})
	}
	return lines
}

// Excerpts returns the lines of all the finding's places, for the panel beside the lanes.
func (v *pageFinding) Excerpts() [][]pageLine {
	var out [][]pageLine
	for _, e := range v.Source {
		out = append(out, e.pageLines(0))
	}
	return out
}

func untabbed(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

// Note says how long the interleaving is.
func (v *pageFinding) Note() string {
	return v.length() + ", " + count(v.Switches, "switch")
}

// FirstOf returns the goroutine that goes first in an outcome.
func (v *pageFinding) FirstOf(o Outcome) string { return v.Accesses[o.First].Goroutine }

// addInterleaving adds lanes and rows.
func (v *pageFinding) addInterleaving() {
	steps := v.Interleaving
	if v.Undecided || v.Status == bug.Infeasible || len(steps) == 0 {
		return
	}
	visible, gaps := visibleSteps(fold(steps), len(steps))
	for i := range visible { // a fold of one step would take as much room
		visible[i] = visible[i] || (i == 0 || visible[i-1]) && (i+1 == len(steps) || visible[i+1])
	}
	names, short := goroutines(allRows(steps)), shortNames(allRows(steps))
	for _, g := range names {
		v.Lanes = append(v.Lanes, pageLane{g, cmp.Or(short[g], g), v.created(g)})
	}
	edges := make(map[int][]string)
	for _, e := range v.Edges {
		edges[e.To] = append(edges[e.To], fmt.Sprintf("%s %d", e.Kind, e.From+1))
	}
	for i := range steps {
		if !visible[i] && (i == 0 || visible[i-1]) { // a fold begins
			gap := row{folded: 1}
			for i+gap.folded < len(steps) && !visible[i+gap.folded] {
				gap.folded++
			}
			if g := gaps[i]; g.folded == gap.folded {
				gap = g
			}
			v.Hidden += gap.folded
			v.Rows = append(v.Rows, pageRow{Gap: strings.TrimSpace(gap.gapText()), First: i + 1, Last: i + gap.folded})
		}
		r := pageRow{Step: &steps[i], Number: i + 1, Text: steps[i].String(), Hidden: !visible[i], Edges: strings.Join(edges[i], " ")}
		r.place(names)
		v.Rows = append(v.Rows, r)
	}
}

// place puts the texts of a row into the lanes of goroutines of these names.
func (r *pageRow) place(names []string) {
	left := func(lane int) bool { return len(names) > minLanesForLeftTexts && lane*5 > len(names)*3 }
	r.Lane = slices.Index(names, r.Goroutine)
	r.Left = left(r.Lane)
	if s := r.Switch; s != nil {
		r.From, r.Why = max(slices.Index(names, s.From), 0), s.From+" "+s.Reason
		r.WhyLeft = left(r.From)
	}
}

// created returns where a goroutine was created, or its subtest; "" if f does not say.
func (f *Finding) created(goroutine string) string {
	for _, a := range slices.Concat(f.Accesses, f.AlsoBlocked) {
		if a.Goroutine == goroutine && a.Subtest != "" {
			return a.Subtest
		}
		if a.Goroutine == goroutine && a.CreatedAt != nil {
			return a.CreatedAt.Pos()
		}
	}
	for _, e := range f.Edges {
		if e.Kind == EdgeGo && f.Interleaving[e.To].Goroutine == goroutine {
			s := f.Interleaving[e.From]
			if s.startsTest() {
				return ""
			}
			return s.Pos()
		}
	}
	return ""
}
