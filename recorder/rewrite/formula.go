package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file puts the formulas that package provenance has found into the table of
// sites. A formula holds only if each event that it speaks of has a hook, which
// is known once all files are rewritten.

// attachFormulas adds formulas to the sites, and the call sites that have some.
func attachFormulas(editors []*editor, found *provenance.Facts, sites []trace.Site) []trace.Site {
	t := &formulaTable{provenance: found, siteKeys: map[provenance.Spot]uint64{}, ambiguous: map[provenance.Spot]bool{}}
	index := map[uint64]int{} // of sites, by their keys
	for i, s := range sites {
		index[s.Key] = i
	}
	var atomics []provenance.Spot
	for _, e := range editors {
		lines := slices.DeleteFunc(e.findAtomics(), func(l *atomicLine) bool { return !l.isClear() })
		slices.SortFunc(lines, func(a, b *atomicLine) int { return cmp.Compare(a.key(), b.key()) })
		for _, l := range lines {
			if _, ok := index[l.key()]; !ok {
				index[l.key()] = len(sites)
				sites = append(sites, l.site(e.path))
			}
			for _, s := range l.spots {
				t.siteKeys[s] = l.key()
			}
			atomics = append(atomics, l.spots...)
		}
		for _, s := range e.sites {
			if s.ID != 0 && s.hasSpot {
				t.addSite(s)
			}
		}
	}
	spots := atomics
	for _, e := range editors {
		for _, s := range e.sites {
			if s.ID == 0 || !s.hasSpot {
				continue
			}
			spots = append(spots, s.spot)
			site := &sites[index[s.Key]]
			site.Formula, site.FailsIf = t.siteFormula(e, s)
			if site.Op == "branch" {
				site.Scope = found.Scope(s.spot)
			}
			site.FailureEndsGoroutine = site.FailsIf != trace.NoOutcome && t.failureEndsGoroutine(e, s)
			if site.Formula == "" && s.spot.Role == provenance.Branches {
				t.forgetParts(e, s.syntax.(ast.Expr))
			}
		}
	}
	for _, s := range atomics {
		if text := t.formulaText(s); text != "" {
			sites[index[t.siteKeys[s]]].Formula = text
		}
	}
	into := found.TrackedReads()
	for _, s := range spots {
		if t.isTracked(into, s) {
			sites[index[t.siteKeys[s]]].OnlyInFormulas = true
		}
	}
	return slices.DeleteFunc(sites, func(s trace.Site) bool { return s.ID == 0 && !s.IsUpdate && !s.OnlyInFormulas && s.Formula == "" })
}

// A formulaTable knows which spots have events.
type formulaTable struct {
	provenance *provenance.Facts
	siteKeys   map[provenance.Spot]uint64
	ambiguous  map[provenance.Spot]bool // two sites are there, or no formula of a branch
}

// handedFormula is the formula of all that is handed over at s, and on.
func (t *formulaTable) handedFormula(s provenance.Spot) string {
	f := dataflow.Formula{Op: dataflow.Hand}
	for k := range t.provenance.HandedCount(s) {
		s.Number = k
		v := dataflow.Formula{Op: dataflow.Unknown}
		if known, ok := t.provenance.Formula(s); ok {
			if known, ok = t.resolveKeys(known); ok {
				v = known
			}
		}
		f.Args = append(f.Args, v)
	}
	if len(f.Args) == 0 {
		return ""
	}
	return f.String()
}

// addSite notes the key of a site.
func (t *formulaTable) addSite(s site) {
	if _, ok := t.siteKeys[s.spot]; ok && s.spot.Role != provenance.Branches {
		t.ambiguous[s.spot] = true
	}
	t.siteKeys[s.spot] = s.Key
}

// isTracked reports whether all that the value read at s goes into has formulas.
func (t *formulaTable) isTracked(into map[provenance.Spot][]provenance.Spot, s provenance.Spot) bool {
	list, ok := into[s]
	return ok && !t.ambiguous[s] && !slices.ContainsFunc(list, func(s provenance.Spot) bool { return t.formulaText(s) == "" })
}

// formulaText is the formula at s, with the keys of sites; "" if there is none.
func (t *formulaTable) formulaText(s provenance.Spot) string {
	f, ok := t.provenance.Formula(s)
	s.Number = 0
	if _, here := t.siteKeys[s]; !ok || !here || t.ambiguous[s] {
		return ""
	}
	if f, ok = t.resolveKeys(f); !ok {
		return ""
	}
	return f.String()
}

// resolveKeys puts the keys of sites into f.
func (t *formulaTable) resolveKeys(f dataflow.Formula) (dataflow.Formula, bool) {
	if f.Op == dataflow.Value || f.Op == dataflow.Handed {
		s := t.provenance.SpotOfKey(f.Read.Key)
		key, ok := t.siteKeys[s]
		f.Read.Key = key
		return f, ok && !t.ambiguous[s]
	}
	f.Args = slices.Clone(f.Args)
	for i := range f.Args {
		arg, ok := t.resolveKeys(f.Args[i])
		if !ok {
			return f, false
		}
		f.Args[i] = arg
	}
	return f, true
}

// siteFormula is the formula of the site s, and which outcome leads to a failure.
func (t *formulaTable) siteFormula(e *editor, s site) (string, trace.Outcome) {
	switch s.spot.Role {
	case provenance.Branches:
		f, fails, ok := t.conditionFormula(e, s.syntax.(ast.Expr))
		if !ok {
			return "", fails
		}
		return f.String(), fails
	case provenance.Asserts, provenance.Guards:
		return t.formulaText(s.spot), trace.IfFalse
	case provenance.PassesArguments, provenance.ReturnsResults, provenance.ReceivesResults:
		return t.handedFormula(s.spot), trace.NoOutcome
	}
	return t.formulaText(s.spot), trace.NoOutcome
}

// failureEndsGoroutine reports whether the failure that the site s leads to ends the goroutine.
func (t *formulaTable) failureEndsGoroutine(e *editor, s site) bool {
	switch s.spot.Role {
	case provenance.Asserts:
		return provenance.EndsGoroutine(e.callee(s.syntax.(*ast.CallExpr)))
	case provenance.Guards:
		return true
	}
	leaves := provenance.ConditionLeaves(s.syntax.(ast.Expr))
	return t.provenance.FailureEndsGoroutine(provenance.Spot{Fset: e.fset, Pos: leaves[len(leaves)-1].Pos(), Role: provenance.Branches})
}

// conditionFormula is the formula of a condition, which may consist of others. What
// fails is what the last of them decides.
func (t *formulaTable) conditionFormula(e *editor, x ast.Expr) (dataflow.Formula, trace.Outcome, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			f, fails, ok := t.conditionFormula(e, x.X)
			switch fails {
			case trace.IfTrue:
				fails = trace.IfFalse
			case trace.IfFalse:
				fails = trace.IfTrue
			}
			return dataflow.Formula{Op: dataflow.Not, Args: []dataflow.Formula{f}}, fails, ok
		}
	case *ast.BinaryExpr:
		op := dataflow.And
		switch x.Op {
		case token.LOR:
			op = dataflow.Or
		case token.LAND:
		default:
			return t.leafFormula(e, x)
		}
		left, _, ok1 := t.conditionFormula(e, x.X)
		right, fails, ok2 := t.conditionFormula(e, x.Y)
		return dataflow.Formula{Op: op, Args: []dataflow.Formula{left, right}}, fails, ok1 && ok2
	}
	return t.leafFormula(e, x)
}

// leafFormula is condition for one that does not consist of others.
func (t *formulaTable) leafFormula(e *editor, x ast.Expr) (dataflow.Formula, trace.Outcome, bool) {
	s := provenance.Spot{Fset: e.fset, Pos: ast.Unparen(x).Pos(), Role: provenance.Branches}
	fails := t.provenance.FailingOutcome(s)
	f, ok := t.provenance.Formula(s)
	if ok {
		f, ok = t.resolveKeys(f)
	}
	t.siteKeys[s] = 0 // it is part of a branch
	return f, fails, ok
}

// forgetParts notes that a branch on x has no formula: nothing is known of where what
// its parts are computed from goes.
func (t *formulaTable) forgetParts(e *editor, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if n != nil {
			t.ambiguous[provenance.Spot{Fset: e.fset, Pos: n.Pos(), Role: provenance.Branches}] = true
		}
		return true
	})
}
