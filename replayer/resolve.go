package replayer

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A StaleError says why a witness has no plan: violating accesses are no longer in the sources, or
// its property is no longer declared.
type StaleError struct {
	Reasons []string // e.g. "no longer in the sources: write to a.balance in …"
	// MissingAccesses are indices into the violation of these accesses. Witness has the other
	// steps where they are in the current code; nil if the reason is no access.
	MissingAccesses []int
	Witness         *witness.Witness
}

func (e *StaleError) Error() string { return "witness is stale: " + strings.Join(e.Reasons, ", ") }

// A Program is the current build and its sources, in which a witness is found.
type Program struct {
	Sites map[string][]trace.Site // those that the rewriter made, by function
	// Files finds the files that the witness names, and Source reads them. Without Source, the
	// line of a call site is found only by how far the lines around it have moved.
	Files  witness.Files
	Source *witness.Sources
	// Properties are those that tests of the build declare.
	Properties []property.Property
}

// SitesByFunc returns sites by their function.
func SitesByFunc(sites []trace.Site) map[string][]trace.Site {
	out := make(map[string][]trace.Site)
	for _, s := range sites {
		out[s.Func] = append(out[s.Func], s)
	}
	return out
}

// A resolver finds the sites of a witness in the current build.
type resolver struct {
	program Program
	groups  map[siteGroup][]trace.Site
	shifts  []shift
	// The positions of the steps of the witness.
	steps, hold, violation, pooled, anchors []*position
}

// A position is a place of the witness in the sources, with the results of looking for it.
type position struct {
	witness.Step // what all steps at the place have in common, see withoutEvent
	site         *foundSite
	callSite     *callSite
	current      *witness.Step // the step where it is now
}

// A foundSite is the current site of a step.
type foundSite struct {
	site trace.Site
	fit  fit
}

// A callSite is the current place of a call site.
type callSite struct {
	file string
	line int
	key  uint64
	fit  fit
}

// A siteGroup is a group of sites that witness.Step.AlikeNumber counts.
type siteGroup struct{ function, op, shape string }

// A shift is a site of the witness that was found in the sources, and by how many lines it has
// moved.
type shift struct {
	function    string
	file        string // in the witness
	line        int    // in the witness
	lines       int    // by how many it has moved
	currentFile string
}

func newResolver(w *witness.Witness, program Program) *resolver {
	r := &resolver{program: program, groups: make(map[siteGroup][]trace.Site)}
	distinct := r.positionsOf(w)
	functions := make(map[string]bool)
	for _, p := range distinct {
		r.groups[groupOf(p.Step)] = nil
		functions[p.Func] = true
	}
	for fn := range functions {
		for _, s := range program.Sites[fn] {
			g := siteGroup{s.Func, s.Op, witness.Shape(s.Expr)}
			if list, ok := r.groups[g]; ok {
				r.groups[g] = append(list, s)
			}
		}
	}
	for _, list := range r.groups {
		witness.SortSites(list)
	}
	for _, p := range distinct {
		if site, fit := r.siteOf(p); fit != absent {
			r.shifts = append(r.shifts, shift{p.Func, p.File, p.Line, site.Line - p.Line, site.File})
		}
	}
	return r
}

// positionsOf sets the positions of the steps of w, and returns those at sites that the rewriter
// made, each once.
func (r *resolver) positionsOf(w *witness.Witness) (distinct []*position) {
	type spot struct { // differs between most positions
		line, col int
		op        trace.Kind
	}
	known := make(map[spot][]*position)
	number := func(list []witness.Step) []*position {
		positions := make([]*position, len(list))
		for i, s := range list {
			s = withoutEvent(s)
			at := spot{s.Line, s.Col, s.Op}
			k := slices.IndexFunc(known[at], func(p *position) bool { return p.Step == s })
			if k < 0 {
				k = len(known[at])
				p := &position{Step: s}
				known[at] = append(known[at], p)
				if s.SiteNumber > 0 {
					distinct = append(distinct, p)
				}
			}
			positions[i] = known[at][k]
		}
		return positions
	}
	r.steps, r.hold, r.violation = number(w.Steps), number(w.Holds), number(w.Violation)
	r.pooled, r.anchors = number(w.PoolSteps), number(w.Anchors)
	return distinct
}

// withoutEvent returns the place of s without what differs between the steps at one place.
func withoutEvent(s witness.Step) witness.Step {
	return stepAt(s, witness.Step{})
}

// stepAt returns the step s at a place.
func stepAt(place, s witness.Step) witness.Step {
	place.Goroutine, place.Occurrence, place.Value = s.Goroutine, s.Occurrence, s.Value
	place.Variable, place.Region, place.PoolItem, place.SelectCase = s.Variable, s.Region, s.PoolItem, s.SelectCase
	return place
}

func groupOf(s witness.Step) siteGroup {
	return siteGroup{s.Func, s.SiteOperation(), witness.Shape(s.Expr)}
}

// A fit says how well a step was found in the sources.
type fit int

const (
	absent  fit = iota // it is no longer in the sources
	guessed            // its line is guessed by the lines around it
	matched
)

// siteOf returns the site at a position that the rewriter instruments. If its line reads otherwise
// than in the witness, and the position is in a function literal, siteOf prefers the site in
// another literal whose line reads as it did: a guess.
func (r *resolver) siteOf(p *position) (trace.Site, fit) {
	if p.SiteNumber < 1 { // a call site
		return trace.Site{}, absent
	}
	if p.site == nil {
		p.site = new(foundSite)
		p.site.site, p.site.fit = r.siteByNumber(p.Step)
		if p.site.fit == absent || !r.lineMatches(p.site.site, p.Step) {
			if other, ok := r.siteInOtherLiteral(p.Step); ok {
				*p.site = foundSite{other, guessed}
			}
		}
	}
	return p.site.site, p.site.fit
}

// text returns the line of a site, without the space around it. There is a Source.
func (c *Program) text(site trace.Site) string {
	return strings.TrimSpace(c.Source.Line(site.File, site.Line))
}

// alike reports whether two expressions or lines differ in the names of variables only.
func alike(a, b string) bool { return witness.Shape(a) == witness.Shape(b) }

// lineMatches reports whether the line of a site looks like that of s, as far as it is known.
func (r *resolver) lineMatches(site trace.Site, s witness.Step) bool {
	return r.program.Source == nil || s.LineText == "" || alike(r.program.text(site), s.LineText)
}

// literal matches the end of the name of a function literal. The compiler numbers literals, so a
// new one changes the names of those after it.
var literal = regexp.MustCompile(`\.func\d+[.\d]*$`)

// siteInOtherLiteral returns the site of s in another function literal of its function, if exactly
// one has a line that reads as it did.
func (r *resolver) siteInOtherLiteral(s witness.Step) (found trace.Site, ok bool) {
	outer := literal.ReplaceAllString(s.Func, "")
	if outer == s.Func || s.SiteNumber < 1 || r.program.Source == nil || s.LineText == "" {
		return found, false
	}
	for fn, sites := range r.program.Sites {
		if fn == s.Func || !strings.HasPrefix(fn, outer+".func") {
			continue
		}
		for _, site := range sites {
			if site.Op != s.SiteOperation() || !alike(site.Expr, s.Expr) || !r.lineMatches(site, s) {
				continue
			}
			if ok {
				return trace.Site{}, false
			}
			found, ok = site, true
		}
	}
	return found, ok
}

// siteByNumber returns the site of a step in the function of the same name: the one with its
// number among those of the same expression or, if a variable has been renamed, among those that
// are alike. If their count has changed, it is the one whose line reads as it did, or a guess.
func (r *resolver) siteByNumber(s witness.Step) (trace.Site, fit) {
	alike := r.groups[groupOf(s)]
	if s.SiteNumber < 1 || len(alike) == 0 {
		return trace.Site{}, absent
	}
	all := guessed
	if s.AlikeCount == 0 || s.AlikeCount == len(alike) {
		all = matched
	}
	var same, inLine []trace.Site
	for _, site := range alike {
		if site.Expr != s.Expr {
			continue
		}
		same = append(same, site)
		if all == guessed && s.LineText != "" && r.program.Source != nil && r.program.text(site) == s.LineText {
			inLine = append(inLine, site)
		}
	}
	switch {
	case len(inLine) == 1:
		return inLine[0], matched
	case s.SiteNumber <= len(same):
		return same[s.SiteNumber-1], all
	case s.AlikeCount == len(alike) && len(same) == 0:
		return alike[s.AlikeNumber-1], all
	case s.AlikeNumber > 0 && s.AlikeNumber <= len(alike):
		return alike[s.AlikeNumber-1], guessed
	}
	return trace.Site{}, absent
}

// key returns the key of a position's site in the current build. [resolver.siteOf] finds sites
// that the rewriter made; call sites are found by their lines.
func (r *resolver) key(p *position) (uint64, fit) {
	if p.SiteNumber > 0 {
		site, fit := r.siteOf(p)
		return site.Key, fit
	}
	if p.Func == "" && p.Line == 0 { // events that have no site
		return 0, matched
	}
	at := r.callSiteOf(p)
	return at.key, at.fit
}

// callSiteOf returns the current place of a call site, and finds it the first time.
func (r *resolver) callSiteOf(p *position) callSite {
	if p.callSite == nil {
		at := r.findCallSite(p.Step)
		at.key = trace.CallSiteKey(p.Func, at.line)
		p.callSite = &at
	}
	return *p.callSite
}

// findCallSite finds a call site by the text of its line, or by the operand there. Otherwise its
// line moves as the nearest site has moved.
func (r *resolver) findCallSite(s witness.Step) callSite {
	guess := max(s.Line+r.lineShift(s), 1)
	if r.program.Source == nil {
		return callSite{line: guess, fit: guessed}
	}
	file := r.program.Files.Path(s.File)
	for _, m := range r.shifts {
		if m.function == s.Func && filepath.IsAbs(m.currentFile) {
			file = m.currentFile
			break
		}
	}
	file, line, sure := r.program.Source.FindCallSite(s, file, guess)
	if sure {
		return callSite{file: file, line: line, fit: matched}
	}
	return callSite{file: file, line: line, fit: guessed}
}

// lineShift returns by how many lines the nearest site in the step's function has moved, or else
// in its file; 0 if none is known.
func (r *resolver) lineShift(s witness.Step) int {
	nearest := func(same func(shift) bool) (delta int, ok bool) {
		best := 0
		for _, m := range r.shifts {
			if d := max(m.line-s.Line, s.Line-m.line); same(m) && (!ok || d < best) {
				delta, best, ok = m.lines, d, true
			}
		}
		return delta, ok
	}
	if delta, ok := nearest(func(m shift) bool { return m.function == s.Func }); ok {
		return delta
	}
	delta, _ := nearest(func(m shift) bool { return m.file == s.File })
	return delta
}
