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

// A StaleError is why there is no plan of a witness: violating accesses are no
// longer in the sources.
type StaleError struct {
	Reasons []string // "no longer in the sources: write to a.balance in …"
	// Gone are these accesses, by their places in the violation, and Witness has the others
	// where they are in the current code. There are none where it is not for an access.
	MissingAccesses []int
	Witness         *witness.Witness
}

func (e *StaleError) Error() string { return "witness is stale: " + strings.Join(e.Reasons, ", ") }

// A Code is the program that a witness is matched with.
type Program struct {
	Sites map[string][]trace.Site // the rewriter's, of the current build, by function
	// Files finds the files that the witness names, and Source reads them.
	// Without Source, call sites are matched by how the lines around them have
	// moved.
	Files  witness.Files
	Source *witness.Sources
	// Properties are those that tests of the build declare.
	Properties []property.Property
}

// ByFunc returns sites by their function.
func SitesByFunc(sites []trace.Site) map[string][]trace.Site {
	out := make(map[string][]trace.Site)
	for _, s := range sites {
		out[s.Func] = append(out[s.Func], s)
	}
	return out
}

// A resolver finds the sites of a witness in the current build.
type resolver struct {
	code   Program
	groups map[siteGroup][]trace.Site
	shifts []shift
	// The positions of the steps of the witness.
	steps, hold, violation, pooled, anchors []*position
}

// A position is where steps of a witness are, with what was found out of it.
type position struct {
	witness.Step // what is the same of all of them, see asPlace
	site         *foundSite
	callSite     *callSite
	current      *witness.Step // where it is in the code
}

// A found site is where a step is now.
type foundSite struct {
	site trace.Site
	fit  fit
}

// A callSite is where a call site is now.
type callSite struct {
	file string
	line int
	key  uint64
	fit  fit
}

// A group is the sites that witness.Step.AlikeNumber counts among.
type siteGroup struct{ fn, op, shape string }

// A shift is a site of the witness that was found in the sources, and by how
// many lines it has moved.
type shift struct {
	fn    string
	file  string // where the witness has it
	line  int
	delta int
	now   string // the file where it is
}

func newResolver(w *witness.Witness, code Program) *resolver {
	r := &resolver{code: code, groups: make(map[siteGroup][]trace.Site)}
	distinct := r.positionsOf(w)
	functions := make(map[string]bool)
	for _, p := range distinct {
		r.groups[groupOf(p.Step)] = nil
		functions[p.Func] = true
	}
	for fn := range functions {
		for _, s := range code.Sites[fn] {
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

// number finds the positions of the steps of w, and returns those of the rewriter's sites, each
// once.
func (r *resolver) positionsOf(w *witness.Witness) (distinct []*position) {
	type spot struct { // tells most positions apart
		line, col int
		op        trace.Kind
	}
	known := make(map[spot][]*position)
	number := func(list []witness.Step) []*position {
		its := make([]*position, len(list))
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
			its[i] = known[at][k]
		}
		return its
	}
	r.steps, r.hold, r.violation = number(w.Steps), number(w.Holds), number(w.Violation)
	r.pooled, r.anchors = number(w.PoolSteps), number(w.Anchors)
	return distinct
}

// asPlace is what is the same of all steps at the place of s.
func withoutEvent(s witness.Step) witness.Step {
	return stepAt(s, witness.Step{})
}

// at returns what step s does at a place.
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
	guessed            // its line is where it should be by the lines around it
	matched
)

// siteOf returns the site at a position that the rewriter instruments. Where that
// is in a function literal, and the line there does not read as it did, it is the one in
// another literal that does: a guess.
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

// text is the line of a site, without the space around it. There is a Source.
func (c *Program) text(site trace.Site) string {
	return strings.TrimSpace(c.Source.Line(site.File, site.Line))
}

// alike reports whether two expressions or lines differ in the names of variables only.
func alike(a, b string) bool { return witness.Shape(a) == witness.Shape(b) }

// reads reports whether the line of a site looks like that of s, as far as is known.
func (r *resolver) lineMatches(site trace.Site, s witness.Step) bool {
	return r.code.Source == nil || s.LineText == "" || alike(r.code.text(site), s.LineText)
}

// literal is what the name of a function has at its end if it is a function
// literal. They are numbered, so that one more changes the names of those
// after it.
var literal = regexp.MustCompile(`\.func\d+[.\d]*$`)

// sibling returns the site of s in another function literal of its function, if there
// is one only that reads as it did.
func (r *resolver) siteInOtherLiteral(s witness.Step) (found trace.Site, ok bool) {
	outer := literal.ReplaceAllString(s.Func, "")
	if outer == s.Func || s.SiteNumber < 1 || r.code.Source == nil || s.LineText == "" {
		return found, false
	}
	for fn, sites := range r.code.Sites {
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

// numbered returns the site of a step where functions have the names that they had: the
// one of its number among those of the same expression, or, where a variable has
// another name now, among those that are alike. If there are more or fewer of
// these than there were, it is the one whose line reads as it did, or a guess.
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
		if all == guessed && s.LineText != "" && r.code.Source != nil && r.code.text(site) == s.LineText {
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

// key returns the key of a position's site in the current build. The rewriter's
// sites are found by [resolver.siteOf], call sites by their line.
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

// callAt returns where a call site is now, as found at the first time.
func (r *resolver) callSiteOf(p *position) callSite {
	if p.callSite == nil {
		at := r.findCallSite(p.Step)
		at.key = trace.CallSiteKey(p.Func, at.line)
		p.callSite = &at
	}
	return *p.callSite
}

// find looks for a call site. The text of its line tells, or the operand there;
// else the line moves as the nearest site has moved.
func (r *resolver) findCallSite(s witness.Step) callSite {
	guess := max(s.Line+r.lineShift(s), 1)
	if r.code.Source == nil {
		return callSite{line: guess, fit: guessed}
	}
	file := r.code.Files.Path(s.File)
	for _, m := range r.shifts {
		if m.fn == s.Func && filepath.IsAbs(m.now) {
			file = m.now
			break
		}
	}
	file, line, sure := r.code.Source.FindCallSite(s, file, guess)
	if sure {
		return callSite{file: file, line: line, fit: matched}
	}
	return callSite{file: file, line: line, fit: guessed}
}

// delta returns by how many lines the nearest site in the step's function has
// moved, or else in its file; 0 if none is known.
func (r *resolver) lineShift(s witness.Step) int {
	nearest := func(same func(shift) bool) (delta int, ok bool) {
		best := 0
		for _, m := range r.shifts {
			if d := max(m.line-s.Line, s.Line-m.line); same(m) && (!ok || d < best) {
				delta, best, ok = m.delta, d, true
			}
		}
		return delta, ok
	}
	if delta, ok := nearest(func(m shift) bool { return m.fn == s.Func }); ok {
		return delta
	}
	delta, _ := nearest(func(m shift) bool { return m.file == s.File })
	return delta
}
