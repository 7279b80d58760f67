package rewrite

import (
	"go/ast"
	"strings"
)

// A returnEdit is a return statement in the making. Named results are variables: a
// return assigns to them, and once the deferred functions have run the caller
// gets what they hold then.
type returnEdit struct {
	*expressions
	stmt   *ast.ReturnStmt
	defers bool // the function defers calls
}

// text is the text of the return statement.
func (e returnEdit) text() string {
	s := e.stmt
	names := e.sharedResults()
	switch {
	case names == nil:
		before, last := e.noteReturn()
		if last != nil {
			e.completedAt[last] = s
		}
		return before + e.valuesOfChildren(s, s.Results...)
	case len(s.Results) == 0:
		if e.defers {
			return e.textOf(s) // the loads come later
		}
		var loads strings.Builder
		for _, x := range names {
			if e.resultNeedsHook(x) {
				loads.WriteString(e.loadResult(s, x) + ";")
			}
		}
		return loads.String() + e.textOf(s)
	}
	var before temporaries
	var stores []string
	tuple := len(s.Results) != len(names)
	for i, x := range names {
		var v string
		if tuple {
			v = e.temp()
			before.names = append(before.names, v)
		} else if r := s.Results[i]; e.isResult(r, x) {
			// The compiler does not assign a result to itself.
			if e.resultNeedsHook(x) && !e.defers {
				stores = append(stores, e.loadResult(s, x))
			}
			continue
		} else {
			var ok bool
			if v, ok = e.holdValue(&before, s.Results, i, e.info.TypeOf(x)); !ok {
				return e.valuesOfChildren(s, s.Results...)
			}
		}
		if e.resultNeedsHook(x) {
			stores = append(stores, e.accessHook("Store", x, "&"+x.Name, e.site("write", s, x.Name, false))+".Set("+v+")")
		} else {
			stores = append(stores, x.Name+"="+v)
		}
	}
	if tuple {
		before.inits = []string{e.dataValue(s.Results[0])}
	}
	if len(before.names) == 0 && len(stores) == 0 {
		return e.textOf(s)
	}
	return e.twoPartBlock(s, before.define(), strings.Join(stores, ";")+";return")
}

// sharedResults returns the named results of the function,
// if one of them may be shared and the statement may assign to all of them by their names.
func (e returnEdit) sharedResults() []*ast.Ident {
	s := e.stmt
	if e.results == nil {
		return nil
	}
	var names []*ast.Ident
	any := false
	for _, field := range e.results.List {
		for _, x := range field.Names {
			if isBlank(x) {
				return nil
			}
			_, obj := e.pkg.Scope().Innermost(s.Pos()).LookupParent(x.Name, s.Pos())
			if obj != e.info.Defs[x] {
				return nil // shadowed
			}
			any = any || e.resultNeedsHook(x)
			names = append(names, x)
		}
	}
	if !any {
		return nil
	}
	return names
}

// enterFunction begins to rewrite the function with the given name, type and body. Leave
// continues with the function around it.
func (e *editor) enterFunction(name string, typ *ast.FuncType, body *ast.BlockStmt) (leave func()) {
	fn, later, scope, results, defers := e.funcName, e.deferredCall, e.scope, e.results, e.defersCalls
	e.funcName, e.deferredCall, e.results, e.defersCalls = name, nil, typ.Results, hasDefer(body)
	return func() {
		e.funcName, e.deferredCall, e.scope, e.results, e.defersCalls = fn, later, scope, results, defers
	}
}

// hasDefer reports whether the function with the given body defers calls.
func hasDefer(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}
