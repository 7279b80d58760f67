package edits

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file has edits that write what the program does in another form: values get names, code
// goes through helpers, closures and generics, and what tests say is said otherwise.

// statements calls do with each statement in a list of statements.
func statements(s *source, do func(ast.Stmt)) {
	each(s, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, stmt := range n.List {
				do(stmt)
			}
		case *ast.CaseClause:
			for _, stmt := range n.Body {
				do(stmt)
			}
		case *ast.CommClause:
			for _, stmt := range n.Body {
				do(stmt)
			}
		}
	})
}

// has reports whether n or a part of it is of type N.
func has[N ast.Node](n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		_, is := n.(N)
		found = found || is
		return !found
	})
	return found
}

// named returns a name that nothing else in the file has.
func (s *source) named(word string, n ast.Node) string {
	return fmt.Sprintf("%s%d", word, s.offset(n.Pos()))
}

var notLetters = regexp.MustCompile(`[^A-Za-z]`)

// helper returns the name of a helper of this file, and adds its declaration, which has %s for the
// name.
func (s *source) helper(word, decl string) string {
	name := word + "In" + notLetters.ReplaceAllString(strings.TrimSuffix(filepath.Base(s.name), ".go"), "")
	add := change{len(s.text), len(s.text), "\n\n" + strings.ReplaceAll(decl, "%s", name) + "\n"}
	if !slices.Contains(s.changes, add) {
		s.changes = append(s.changes, add)
	}
	return name
}

// importing imports a package of std, under a name of its own.
func (s *source) importing(path string) (name string) {
	name = "std" + path
	add := change{s.offset(s.file.Name.End()), s.offset(s.file.Name.End()), fmt.Sprintf("\n\nimport %s %q\n", name, path)}
	if !slices.Contains(s.changes, add) {
		s.changes = append(s.changes, add)
	}
	return name
}

// call returns the call that stmt is, and the full name of what it calls: "(*sync.Mutex).Lock".
func (s *source) call(stmt ast.Stmt) (call *ast.CallExpr, name string) {
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		call, _ = stmt.X.(*ast.CallExpr)
	case *ast.DeferStmt:
		call = stmt.Call
	}
	if call == nil {
		return nil, ""
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		if f, ok := s.info.Uses[sel.Sel].(*types.Func); ok {
			return call, f.FullName()
		}
	}
	return call, ""
}

// isField reports whether x is a field that has an address.
func (s *source) isField(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v, ok := s.info.Uses[sel.Sel].(*types.Var)
	return ok && v.IsField() && s.info.Types[x].Addressable()
}

// nameResults gives the values of return statements names.
func nameResults(s *source) {
	statements(s, func(stmt ast.Stmt) {
		r, ok := stmt.(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			return
		}
		value := s.info.Types[r.Results[0]]
		if _, several := value.Type.(*types.Tuple); several || value.Value != nil || value.IsNil() {
			return
		}
		name := s.named("result", r)
		s.replace(s.offset(r.Pos()), s.offset(r.Results[0].Pos()), name+" := ")
		s.insert(s.offset(r.End()), "\nreturn "+name)
	})
}

// unlockExplicitly unlocks before the only return of a function what is unlocked by defer.
func unlockExplicitly(s *source) {
	each(s, func(n ast.Node) {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil || len(body.List) == 0 {
			return
		}
		deferred, returns := -1, 0
		for k, stmt := range body.List {
			if d, ok := stmt.(*ast.DeferStmt); ok {
				if _, name := s.call(d); strings.HasSuffix(name, "Unlock") && deferred < 0 {
					deferred = k
				} else {
					return // the order of what is deferred would change
				}
			}
			if has[*ast.ReturnStmt](stmt) {
				returns++
			}
		}
		if deferred < 0 {
			return
		}
		unlock := s.textOf(body.List[deferred].(*ast.DeferStmt).Call)
		last, isReturn := body.List[len(body.List)-1].(*ast.ReturnStmt)
		drop := func() {
			d := body.List[deferred]
			s.replace(s.offset(d.Pos()), s.offset(d.End()), "")
		}
		switch {
		case returns == 0:
			drop()
			s.insert(s.offset(body.Rbrace), "\n"+unlock+"\n")
		case returns == 1 && isReturn && len(last.Results) > 0 && !has[*ast.FuncLit](last):
			if len(last.Results) == 1 {
				if _, several := s.info.TypeOf(last.Results[0]).(*types.Tuple); several {
					return
				}
			}
			var names []string
			for _, x := range last.Results {
				if s.info.Types[x].IsNil() {
					return
				}
				names = append(names, s.named("kept", x))
			}
			drop()
			s.replace(s.offset(last.Pos()), s.offset(last.Results[0].Pos()), strings.Join(names, ", ")+" := ")
			s.insert(s.offset(last.End()), "\n"+unlock+"\nreturn "+strings.Join(names, ", "))
		}
	})
}

// wrapBodies puts the body of each function into a literal that is called at once.
func wrapBodies(s *source) {
	each(s, func(f *ast.FuncDecl) {
		if f.Body == nil || strings.HasPrefix(f.Name.Name, "Test") {
			return
		}
		results, begin := "", ""
		if r := f.Type.Results; r != nil {
			if len(r.List[0].Names) > 0 {
				return
			}
			results, begin = s.textOf(r), "return "
		}
		s.insert(s.offset(f.Body.Lbrace)+1, fmt.Sprintf("\n%sfunc() %s {\n", begin, results))
		s.insert(s.offset(f.Body.Rbrace), "\n}()\n")
	})
}

// assignThroughPointers writes fields through pointers.
func assignThroughPointers(s *source) {
	statements(s, func(stmt ast.Stmt) {
		var to ast.Expr
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			if len(stmt.Lhs) == 1 && stmt.Tok != token.DEFINE {
				to = stmt.Lhs[0]
			}
		case *ast.IncDecStmt:
			to = stmt.X
		}
		if to == nil || !s.isField(to) {
			return
		}
		at := s.named("at", stmt)
		s.replace(s.offset(to.Pos()), s.offset(to.End()), fmt.Sprintf("%s := &%s\n(*%[1]s)", at, s.textOf(to)))
	})
}

// assignThroughGenerics writes variables and fields in a generic function.
func assignThroughGenerics(s *source) {
	statements(s, func(stmt ast.Stmt) {
		a, ok := stmt.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Tok != token.ASSIGN {
			return
		}
		to, value := s.info.Types[a.Lhs[0]], s.info.Types[a.Rhs[0]]
		if !to.Addressable() || value.IsNil() || value.Value == nil && !types.Identical(to.Type, value.Type) {
			return
		}
		assign := s.helper("assign", "func %s[T any](to *T, v T) { *to = v }")
		s.insert(s.offset(a.Pos()), assign+"(&")
		s.replace(s.offset(a.Lhs[0].End()), s.offset(a.Rhs[0].Pos()), ", ")
		s.insert(s.offset(a.End()), ")")
	})
}

// readThroughGenerics reads the fields that functions return in a generic function.
func readThroughGenerics(s *source) {
	statements(s, func(stmt ast.Stmt) {
		r, ok := stmt.(*ast.ReturnStmt)
		if !ok {
			return
		}
		for _, x := range r.Results {
			if s.isField(x) {
				s.insert(s.offset(x.Pos()), s.helper("value", "func %s[T any](of *T) T { return *of }")+"(&")
				s.insert(s.offset(x.End()), ")")
			}
		}
	})
}

// embedFields moves the fields of structs into a struct that is embedded.
func embedFields(s *source) {
	moved := make(map[types.Object]string)
	each(s, func(t *ast.TypeSpec) {
		st, ok := t.Type.(*ast.StructType)
		if !ok || t.TypeParams != nil || len(st.Fields.List) == 0 {
			return
		}
		for _, f := range st.Fields.List {
			if len(f.Names) == 0 {
				return
			}
		}
		name := "partsOf" + t.Name.Name
		moved[s.info.Defs[t.Name]] = name
		s.insert(len(s.text), fmt.Sprintf("\n\ntype %s %s\n", name, s.textOf(st)))
		s.replace(s.offset(st.Fields.Opening)+1, s.offset(st.Fields.Closing), name)
	})
	each(s, func(l *ast.CompositeLit) {
		named, ok := types.Unalias(s.info.TypeOf(l)).(*types.Named)
		if !ok || moved[named.Obj()] == "" || len(l.Elts) == 0 {
			return
		}
		name := moved[named.Obj()]
		s.insert(s.offset(l.Lbrace)+1, name+": "+name+"{")
		s.insert(s.offset(l.Elts[len(l.Elts)-1].End()), "}")
	})
}

// useRWMutexes makes each Mutex a RWMutex that is locked for writing.
func useRWMutexes(s *source) {
	each(s, func(sel *ast.SelectorExpr) {
		if t, ok := s.info.Uses[sel.Sel].(*types.TypeName); ok && t.Name() == "Mutex" && t.Pkg().Path() == "sync" {
			s.replace(s.offset(sel.Sel.Pos()), s.offset(sel.Sel.End()), "RWMutex")
		}
	})
}

// lockThroughInterfaces locks and unlocks in helpers.
func lockThroughInterfaces(s *source) {
	statements(s, func(stmt ast.Stmt) {
		call, name := s.call(stmt)
		method := name[strings.LastIndexByte(name, '.')+1:]
		if !strings.HasPrefix(name, "(*sync.") || method != "Lock" && method != "Unlock" {
			return
		}
		x := call.Fun.(*ast.SelectorExpr).X
		if s.info.Selections[call.Fun.(*ast.SelectorExpr)] == nil || len(s.info.Selections[call.Fun.(*ast.SelectorExpr)].Index()) > 1 {
			return // the lock is embedded
		}
		address := "&"
		if _, ok := s.info.TypeOf(x).Underlying().(*types.Pointer); ok {
			address = ""
		}
		helper := s.helper("do"+method, "func %s(l interface{ "+method+"() }) { l."+method+"() }")
		s.insert(s.offset(call.Pos()), helper+"("+address)
		s.replace(s.offset(x.End()), s.offset(call.End()), ")")
	})
}

// deferClosures defers function literals in the place of calls.
func deferClosures(s *source) {
	each(s, func(d *ast.DeferStmt) {
		if _, literal := d.Call.Fun.(*ast.FuncLit); !literal && len(d.Call.Args) == 0 {
			s.insert(s.offset(d.Call.Pos()), "func() { ")
			s.insert(s.offset(d.Call.End()), " }()")
		}
	})
}

// sleepBy replaces calls of time.Sleep; text has %s for the duration.
func sleepBy(s *source, text func() string) {
	statements(s, func(stmt ast.Stmt) {
		if call, name := s.call(stmt); name == "time.Sleep" {
			before, after, _ := strings.Cut(text(), "%s")
			s.replace(s.offset(call.Pos()), s.offset(call.Args[0].Pos()), before)
			s.replace(s.offset(call.Args[0].End()), s.offset(call.End()), after)
		}
	})
}

func sleepByTimers(s *source) { sleepBy(s, func() string { return "<-time.After(%s)" }) }

func sleepInHelpers(s *source) {
	sleepBy(s, func() string {
		return s.helper("pause", "func %s(d time.Duration) { time.Sleep(d) }") + "(%s)"
	})
}

// failures calls do with the statements that report that the test has failed, and the method.
func failures(s *source, do func(call *ast.CallExpr, method string)) {
	statements(s, func(stmt ast.Stmt) {
		if call, name := s.call(stmt); strings.HasPrefix(name, "(*testing.common).") {
			if method := name[strings.LastIndexByte(name, '.')+1:]; slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, method) {
				do(call, method)
			}
		}
	})
}

func failInClosures(s *source) {
	failures(s, func(call *ast.CallExpr, method string) {
		s.insert(s.offset(call.Pos()), "func() { ")
		s.insert(s.offset(call.End()), " }()")
	})
}

func failByFail(s *source) {
	failures(s, func(call *ast.CallExpr, method string) {
		sel := call.Fun.(*ast.SelectorExpr)
		as := map[string][2]string{"Error": {"Log", "Fail"}, "Errorf": {"Logf", "Fail"}, "Fatal": {"Log", "FailNow"}, "Fatalf": {"Logf", "FailNow"}}[method]
		s.replace(s.offset(sel.Sel.Pos()), s.offset(sel.Sel.End()), as[0])
		s.insert(s.offset(call.End()), "\n"+s.textOf(sel.X)+"."+as[1]+"()")
	})
}

// failFast ends tests where they have failed, in functions that are no literals.
func failFast(s *source) {
	s.tests(func(f *ast.FuncDecl, _ string) {
		ast.Inspect(f.Body, func(n ast.Node) bool {
			stmt, ok := n.(*ast.ExprStmt)
			if ok {
				if call, name := s.call(stmt); name == "(*testing.common).Error" || name == "(*testing.common).Errorf" {
					sel := call.Fun.(*ast.SelectorExpr).Sel
					s.replace(s.offset(sel.Pos()), s.offset(sel.Pos())+len("Error"), "Fatal")
				}
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	})
}

// ifs calls do with the if statements in lists of statements that have no literal in their heads.
func ifs(s *source, do func(*ast.IfStmt)) {
	statements(s, func(stmt ast.Stmt) {
		if i, ok := stmt.(*ast.IfStmt); ok && !has[*ast.FuncLit](i.Cond) && (i.Init == nil || !has[*ast.FuncLit](i.Init)) {
			do(i)
		}
	})
}

func nameConditions(s *source) {
	ifs(s, func(i *ast.IfStmt) {
		name, begin := s.named("holds", i), ""
		if i.Init != nil {
			begin = s.textOf(i.Init) + "\n"
		}
		s.replace(s.offset(i.Pos()), s.offset(i.Body.Lbrace), fmt.Sprintf("{\n%s%s := %s\nif %[2]s ", begin, name, s.textOf(i.Cond)))
		s.insert(s.offset(i.End()), "\n}")
	})
}

func invertConditions(s *source) {
	ifs(s, func(i *ast.IfStmt) {
		if i.Else == nil {
			s.insert(s.offset(i.Cond.Pos()), "!(")
			s.insert(s.offset(i.Cond.End()), ")")
			s.insert(s.offset(i.Body.Lbrace), "{\n} else ")
		}
	})
}

func useSwitches(s *source) {
	ifs(s, func(i *ast.IfStmt) {
		if i.Else != nil || has[*ast.BranchStmt](i.Body) {
			return
		}
		s.replace(s.offset(i.Pos()), s.offset(i.Pos())+len("if"), "switch")
		s.insert(s.offset(i.Cond.Pos()), "{\ncase ")
		s.replace(s.offset(i.Body.Lbrace), s.offset(i.Body.Lbrace)+1, ":")
	})
}

// wrapTests puts text before and after the bodies of tests; %s is the name of the parameter.
func wrapTests(s *source, before, after string) {
	s.tests(func(f *ast.FuncDecl, t string) {
		s.insert(s.offset(f.Body.Lbrace)+1, "\n"+strings.ReplaceAll(before, "%s", t)+"\n")
		if after != "" {
			s.insert(s.offset(f.Body.Rbrace), "\n"+after+"\n")
		}
	})
}

func runParallel(s *source) { wrapTests(s, "%s.Parallel()", "") }

func runAsTable(s *source) {
	wrapTests(s, "for _, name := range []string{\"only\"} {\n%s.Run(name, func(%s *testing.T) {", "})\n}")
}

func runInGoroutine(s *source) {
	wrapTests(s, "carried := make(chan struct{})\ngo func() {\ndefer close(carried)", "}()\n<-carried")
}

func addCleanup(s *source) { wrapTests(s, "%s.Cleanup(func() {})", "") }

// nameLiterals gives the functions that goroutines run names.
func nameLiterals(s *source) {
	statements(s, func(stmt ast.Stmt) {
		name := s.named("work", stmt)
		switch stmt := stmt.(type) {
		case *ast.GoStmt:
			if l, ok := stmt.Call.Fun.(*ast.FuncLit); ok && len(stmt.Call.Args) == 0 {
				s.replace(s.offset(stmt.Pos()), s.offset(l.Pos()), name+" := ")
				s.replace(s.offset(l.End()), s.offset(stmt.End()), "\ngo "+name+"()")
			}
		case *ast.ExprStmt:
			call, ok := stmt.X.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return
			}
			if l, ok := call.Args[0].(*ast.FuncLit); ok {
				before := string(s.text[s.offset(stmt.Pos()):s.offset(l.Pos())])
				s.replace(s.offset(stmt.Pos()), s.offset(l.Pos()), name+" := ")
				s.replace(s.offset(l.End()), s.offset(stmt.End()), "\n"+before+name+")")
			}
		}
	})
}

// declareVars declares variables by var.
func declareVars(s *source) {
	statements(s, func(stmt ast.Stmt) {
		a, ok := stmt.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			return
		}
		for _, x := range a.Lhs {
			if id, ok := x.(*ast.Ident); !ok || s.info.Defs[id] == nil && id.Name != "_" {
				return
			}
		}
		s.insert(s.offset(a.Pos()), "var ")
		s.replace(s.offset(a.TokPos), s.offset(a.TokPos)+len(":="), "=")
	})
}

// yieldAfterLocks lets other goroutines run after each lock.
func yieldAfterLocks(s *source) {
	statements(s, func(stmt ast.Stmt) {
		if _, isDefer := stmt.(*ast.DeferStmt); isDefer {
			return
		}
		if call, name := s.call(stmt); strings.HasPrefix(name, "(*sync.") && strings.HasSuffix(name, "Lock") && !strings.HasSuffix(name, "Unlock") {
			s.insert(s.offset(call.End()), "\n"+s.importing("runtime")+".Gosched()")
		}
	})
}

// countCalls counts the calls of functions.
func countCalls(s *source) {
	each(s, func(f *ast.FuncDecl) {
		if f.Body != nil && !strings.HasPrefix(f.Name.Name, "Test") {
			if name := s.importing("sync"); name != "" {
				calls := s.helper("calls", "var %s struct {\n"+name+".Mutex\nn int\n}")
				s.insert(s.offset(f.Body.Lbrace)+1, fmt.Sprintf("\n%s.Lock()\n%[1]s.n++\n%[1]s.Unlock()\n", calls))
			}
		}
	})
}

// reverseFields declares the fields of structs in the opposite order.
func reverseFields(s *source) {
	each(s, func(t *ast.TypeSpec) {
		st, ok := t.Type.(*ast.StructType)
		if !ok || len(st.Fields.List) < 2 {
			return
		}
		var fields []string
		for _, f := range slices.Backward(st.Fields.List) {
			fields = append(fields, s.textOf(f))
		}
		s.replace(s.offset(st.Fields.Opening)+1, s.offset(st.Fields.Closing), "\n"+strings.Join(fields, "\n")+"\n")
	})
}

// callMethodValues calls methods of the module's own through variables.
func callMethodValues(s *source) {
	statements(s, func(stmt ast.Stmt) {
		x, ok := stmt.(*ast.ExprStmt)
		if !ok {
			return
		}
		call, ok := x.X.(*ast.CallExpr)
		if !ok || has[*ast.FuncLit](call) {
			return
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || s.info.Selections[sel] == nil || !s.own(s.info.Uses[sel.Sel]) {
			return
		}
		name := s.named("call", stmt)
		s.replace(s.offset(sel.Pos()), s.offset(sel.End()), fmt.Sprintf("%s := %s\n%[1]s", name, s.textOf(sel)))
	})
}

// splitDeclarations assigns to variables after they are declared.
func splitDeclarations(s *source) {
	statements(s, func(stmt ast.Stmt) {
		a, ok := stmt.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 {
			return
		}
		id, ok := a.Lhs[0].(*ast.Ident)
		if !ok || s.info.Defs[id] == nil {
			return
		}
		switch t := s.info.Defs[id].Type().(type) {
		case *types.Basic:
			s.insert(s.offset(a.Pos()), fmt.Sprintf("var %s %s\n", id.Name, t))
			s.replace(s.offset(a.TokPos), s.offset(a.TokPos)+len(":="), "=")
		}
	})
}
