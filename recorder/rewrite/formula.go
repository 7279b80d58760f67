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
	t := &formulaTable{found: found, keys: map[provenance.Spot]uint64{}, ambiguous: map[provenance.Spot]bool{}}
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
				t.keys[s] = l.key()
			}
			atomics = append(atomics, l.spots...)
		}
		for _, s := range e.sites {
			if s.ID != 0 && s.hasSpot {
				t.key(s)
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
			site.Formula, site.FailsIf = t.formula(e, s)
			if site.Op == "branch" {
				site.Scope = found.Scope(s.spot)
			}
			site.FailureEndsGoroutine = site.FailsIf != trace.NoOutcome && t.stops(e, s)
			if site.Formula == "" && s.spot.Role == provenance.Decides {
				t.forget(e, s.node.(ast.Expr))
			}
		}
	}
	for _, s := range atomics {
		if text := t.text(s); text != "" {
			sites[index[t.keys[s]]].Formula = text
		}
	}
	into := found.Tracked()
	for _, s := range spots {
		if t.known(into, s) {
			sites[index[t.keys[s]]].OnlyInFormulas = true
		}
	}
	return slices.DeleteFunc(sites, func(s trace.Site) bool { return s.ID == 0 && !s.IsUpdate && !s.OnlyInFormulas && s.Formula == "" })
}

// A formulaTable knows which spots have events.
type formulaTable struct {
	found     *provenance.Facts
	keys      map[provenance.Spot]uint64
	ambiguous map[provenance.Spot]bool // two sites are there, or no formula of a branch
}

// hand is the formula of all that is handed over at s, and on.
func (t *formulaTable) hand(s provenance.Spot) string {
	f := dataflow.Formula{Op: dataflow.Hand}
	for k := range t.found.Handed(s) {
		s.Number = k
		v := dataflow.Formula{Op: dataflow.Unknown}
		if known, ok := t.found.Formula(s); ok {
			if known, ok = t.resolve(known); ok {
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

// key notes the key of a site.
func (t *formulaTable) key(s site) {
	if _, ok := t.keys[s.spot]; ok && s.spot.Role != provenance.Decides {
		t.ambiguous[s.spot] = true
	}
	t.keys[s.spot] = s.Key
}

// known reports whether the site at s reads a value of which all that it goes into
// has formulas.
func (t *formulaTable) known(into map[provenance.Spot][]provenance.Spot, s provenance.Spot) bool {
	list, ok := into[s]
	return ok && !t.ambiguous[s] && !slices.ContainsFunc(list, func(s provenance.Spot) bool { return t.text(s) == "" })
}

// text is the formula at s, with the keys of sites; "" if there is none.
func (t *formulaTable) text(s provenance.Spot) string {
	f, ok := t.found.Formula(s)
	s.Number = 0
	if _, here := t.keys[s]; !ok || !here || t.ambiguous[s] {
		return ""
	}
	if f, ok = t.resolve(f); !ok {
		return ""
	}
	return f.String()
}

// resolve puts the keys of sites into f.
func (t *formulaTable) resolve(f dataflow.Formula) (dataflow.Formula, bool) {
	if f.Op == dataflow.Value || f.Op == dataflow.Handed {
		s := t.found.Spot(f.Read.Key)
		key, ok := t.keys[s]
		f.Read.Key = key
		return f, ok && !t.ambiguous[s]
	}
	f.Args = slices.Clone(f.Args)
	for i := range f.Args {
		arg, ok := t.resolve(f.Args[i])
		if !ok {
			return f, false
		}
		f.Args[i] = arg
	}
	return f, true
}

// formula is the formula of the site s, and which outcome leads to a failure.
func (t *formulaTable) formula(e *editor, s site) (string, trace.Outcome) {
	switch s.spot.Role {
	case provenance.Decides:
		f, fails, ok := t.condition(e, s.node.(ast.Expr))
		if !ok {
			return "", fails
		}
		return f.String(), fails
	case provenance.Asserts, provenance.Guards:
		return t.text(s.spot), trace.IfFalse
	case provenance.Calls, provenance.Returns, provenance.Gets:
		return t.hand(s.spot), trace.NoOutcome
	}
	return t.text(s.spot), trace.NoOutcome
}

// stops reports whether the failure that the site s leads to ends the goroutine.
func (t *formulaTable) stops(e *editor, s site) bool {
	switch s.spot.Role {
	case provenance.Asserts:
		return provenance.Stops(e.callee(s.node.(*ast.CallExpr)))
	case provenance.Guards:
		return true
	}
	leaves := provenance.Leaves(s.node.(ast.Expr))
	return t.found.Stops(provenance.Spot{Fset: e.fset, Pos: leaves[len(leaves)-1].Pos(), Role: provenance.Decides})
}

// condition is the formula of a condition, which may consist of others. What
// fails is what the last of them decides.
func (t *formulaTable) condition(e *editor, x ast.Expr) (dataflow.Formula, trace.Outcome, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			f, fails, ok := t.condition(e, x.X)
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
			return t.leaf(e, x)
		}
		left, _, ok1 := t.condition(e, x.X)
		right, fails, ok2 := t.condition(e, x.Y)
		return dataflow.Formula{Op: op, Args: []dataflow.Formula{left, right}}, fails, ok1 && ok2
	}
	return t.leaf(e, x)
}

// leaf is condition for one that does not consist of others.
func (t *formulaTable) leaf(e *editor, x ast.Expr) (dataflow.Formula, trace.Outcome, bool) {
	s := provenance.Spot{Fset: e.fset, Pos: ast.Unparen(x).Pos(), Role: provenance.Decides}
	fails := t.found.Fails(s)
	f, ok := t.found.Formula(s)
	if ok {
		f, ok = t.resolve(f)
	}
	t.keys[s] = 0 // it is part of a branch
	return f, fails, ok
}

// forget notes that a branch on x has no formula: nothing is known of where what
// its parts are computed from goes.
func (t *formulaTable) forget(e *editor, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if n != nil {
			t.ambiguous[provenance.Spot{Fset: e.fset, Pos: n.Pos(), Role: provenance.Decides}] = true
		}
		return true
	})
}
