// Package edits changes the sources of a module as people do, without changing what the program
// does: its bugs stay. [LineEdit] and [TokenEdit] make given changes, for instance those of
// mutants.
package edits

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// An Edit is one way to change sources.
type Edit struct {
	Name string
	do   func(s *source)
}

// All returns all edits. Not every one of them finds something to change in a module.
func All() []Edit { return slices.Concat(moves, forms) }

// moves are edits of where things are and what they are called.
var moves = []Edit{
	{"comments", addComments},       // a comment above each statement
	{"locals", renameLocals},        // other names for variables, parameters and receivers
	{"files", moveFunctions},        // functions moved to other files
	{"fields", renameFields},        // other names for fields
	{"functions", renameFunctions},  // other names for functions and methods
	{"types", renameTypes},          // other names for types
	{"reversed", reverseFunctions},  // functions in the opposite order
	{"spread", spreadCalls},         // calls over several lines
	{"helper", extractTestBody},     // the test's body in a function
	{"subtest", wrapInSubtest},      // the test's body in a subtest
	{"extracted", extractBodies},    // the body of each function in another one
	{"literals", wrapAssignments},   // assignments in function literals
	{"goroutine", startGoroutine},   // a goroutine more, before all else
	{"gostatements", expandGoCalls}, // WaitGroup.Go as go statements
	{"logged", addLog},              // the test logs something first
	{"shifted", addFields},          // a field more in each struct
	{"operators", expandOperators},  // x++ as x += 1, x += y as x = x + y
	{"blocks", addBlocks},           // function bodies in blocks
	{"loops", rewriteLoops},         // range over numbers as three-clause loops
}

// forms are edits of how the same is written.
var forms = []Edit{
	{"values", readThroughGenerics},     // fields read in a generic function
	{"results", nameResults},            // what is returned in variables
	{"explicit", unlockExplicitly},      // unlocks before the return, without defer
	{"closured", wrapBodies},            // the bodies of functions in literals
	{"deferred", deferClosures},         // literals deferred, not calls
	{"pointers", assignThroughPointers}, // fields written through pointers
	{"generic", assignThroughGenerics},  // assignments in a generic function
	{"embedded", embedFields},           // the fields of structs in embedded structs
	{"rwmutexes", useRWMutexes},         // a RWMutex for each Mutex
	{"yields", yieldAfterLocks},         // runtime.Gosched after locks
	{"lockers", lockThroughInterfaces},  // locks through interfaces
	{"pauses", sleepInHelpers},          // time.Sleep in a function
	{"timers", sleepByTimers},           // <-time.After for time.Sleep
	{"fatal", failFast},                 // Fatal for Error
	{"reported", failInClosures},        // failures reported in literals
	{"failed", failByFail},              // Log and Fail for Error
	{"conditions", nameConditions},      // conditions in variables
	{"switches", useSwitches},           // switch for if
	{"inverted", invertConditions},      // conditions the other way round
	{"parallel", runParallel},           // t.Parallel
	{"table", runAsTable},               // the test's body as a table of one subtest
	{"carried", runInGoroutine},         // the test's body in a goroutine
	{"cleanup", addCleanup},             // a cleanup more
	{"named", nameLiterals},             // the functions of goroutines in variables
	{"declared", splitDeclarations},     // declarations before assignments
	{"vars", declareVars},               // var x = y for x := y
	{"calls", countCalls},               // calls counted under a lock
	{"fieldorder", reverseFields},       // fields in the opposite order
	{"methodvalues", callMethodValues},  // methods called through variables
}

// Named returns the edit of that name.
func Named(name string) Edit {
	i := slices.IndexFunc(All(), func(e Edit) bool { return e.Name == name })
	return All()[i]
}

// Apply edits the module in the folder dir, and reports whether that has changed anything.
func (e Edit) Apply(dir string) (changed bool, err error) {
	sources, err := load(dir)
	if err != nil {
		return false, err
	}
	for _, s := range sources {
		e.do(s)
		if len(s.changes) == 0 && s.whole == nil {
			continue
		}
		changed = true
		if err := s.write(); err != nil {
			return true, fmt.Errorf("%s: %s: %w", e.Name, s.name, err)
		}
	}
	return changed, nil
}

// addComments puts a line of comment above each declaration and each statement that begins a
// line.
func addComments(s *source) {
	above := func(n ast.Node) {
		if begin, ok := s.beginsLine(n.Pos()); ok {
			s.insert(begin, "// A remark.\n")
		}
	}
	each(s, func(f *ast.FuncDecl) {
		if f.Doc == nil {
			above(f)
		}
	})
	each(s, func(block *ast.BlockStmt) {
		for _, stmt := range block.List {
			above(stmt)
		}
	})
}

// rename changes the names of the module's own objects for which is returns true.
func (s *source) rename(is func(types.Object) bool) {
	for _, names := range []map[*ast.Ident]types.Object{s.info.Defs, s.info.Uses} {
		for id, obj := range names {
			if obj != nil && id.Name != "_" && s.own(obj) && s.fset.Position(id.Pos()).Filename == s.name && is(obj) {
				s.insert(s.offset(id.End()), "2")
			}
		}
	}
}

func renameLocals(s *source) {
	s.rename(func(obj types.Object) bool {
		v, ok := obj.(*types.Var)
		return ok && !v.IsField() && v.Parent() != v.Pkg().Scope()
	})
}

func renameFields(s *source) {
	s.rename(func(obj types.Object) bool {
		v, ok := obj.(*types.Var)
		return ok && v.IsField() && !v.Embedded()
	})
}

// fixedNames are the names of methods of interfaces of the standard library, and of functions
// that start a program.
var fixedNames = []string{"String", "Error", "Write", "Read", "Close", "ServeHTTP", "Lock", "Unlock", "Len", "Less", "Swap", "main", "init"}

func renameFunctions(s *source) {
	s.rename(func(obj types.Object) bool {
		_, ok := obj.(*types.Func)
		return ok && !strings.HasPrefix(obj.Name(), "Test") && !slices.Contains(fixedNames, obj.Name())
	})
}

func renameTypes(s *source) {
	s.rename(func(obj types.Object) bool {
		if v, ok := obj.(*types.Var); ok { // an embedded field has its type's name
			return v.Embedded()
		}
		_, ok := obj.(*types.TypeName)
		return ok && obj.Parent() == obj.Pkg().Scope()
	})
}

// moveFunctions moves all functions to another file, the last one first.
func moveFunctions(s *source) {
	stay, gone := s.declarations()
	if len(gone) == 0 {
		return
	}
	slices.Reverse(gone)
	s.whole = s.withImports(stay)
	s.moved = s.withImports(gone)
}

func reverseFunctions(s *source) {
	stay, gone := s.declarations()
	if len(gone) < 2 {
		return
	}
	slices.Reverse(gone)
	s.whole = s.withImports(append(stay, gone...))
}

// each calls do with the nodes of one type, outer ones first.
func each[N ast.Node](s *source, do func(N)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n, ok := n.(N); ok {
			do(n)
		}
		return true
	})
}

func spreadCalls(s *source) {
	each(s, func(call *ast.CallExpr) {
		if len(call.Args) == 0 {
			return
		}
		_, literal := call.Args[0].(*ast.FuncLit)
		if literal || len(call.Args) > 1 {
			s.insert(s.offset(call.Lparen)+1, "\n")
			s.insert(s.offset(call.Rparen), ",\n")
		}
	})
}

// tests calls do with the tests of the file.
func (s *source) tests(do func(f *ast.FuncDecl, t string)) {
	each(s, func(f *ast.FuncDecl) {
		params := f.Type.Params.List
		if f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" && len(params) == 1 && len(params[0].Names) == 1 {
			do(f, params[0].Names[0].Name)
		}
	})
}

func extractTestBody(s *source) {
	s.tests(func(f *ast.FuncDecl, t string) {
		s.insert(s.offset(f.Body.Lbrace)+1, fmt.Sprintf("\n\tbodyOf%s(%s)\n}\n\nfunc bodyOf%[1]s(%[2]s *testing.T) {", f.Name.Name, t))
	})
}

func wrapInSubtest(s *source) {
	s.tests(func(f *ast.FuncDecl, t string) {
		s.insert(s.offset(f.Body.Lbrace)+1, fmt.Sprintf("\n%s.Run(\"all\", func(%[1]s *testing.T) {", t))
		s.insert(s.offset(f.Body.Rbrace), "})\n")
	})
}

func startGoroutine(s *source) {
	s.tests(func(f *ast.FuncDecl, t string) {
		s.insert(s.offset(f.Body.Lbrace)+1, "\nquiet := make(chan bool)\ngo func() { close(quiet) }()\n<-quiet\n")
	})
}

func addLog(s *source) {
	s.tests(func(f *ast.FuncDecl, t string) {
		s.insert(s.offset(f.Body.Lbrace)+1, fmt.Sprintf("\n%s.Log(\"begins\")\n", t))
	})
}

// extractBodies moves the body of each function that is no test into another function, and calls
// that.
func extractBodies(s *source) {
	each(s, func(f *ast.FuncDecl) {
		if f.Type.TypeParams != nil || strings.HasPrefix(f.Name.Name, "Test") || slices.Contains(fixedNames, f.Name.Name) || f.Body == nil {
			return
		}
		name, args := "doing"+f.Name.Name, ""
		if f.Recv != nil {
			if len(f.Recv.List[0].Names) == 0 {
				return
			}
			name = f.Recv.List[0].Names[0].Name + "." + name
		}
		for _, p := range f.Type.Params.List {
			for _, n := range p.Names {
				args += n.Name + ","
			}
			if _, more := p.Type.(*ast.Ellipsis); more {
				args = strings.TrimSuffix(args, ",") + "...,"
			}
		}
		call := fmt.Sprintf("%s(%s)", name, strings.TrimSuffix(args, ","))
		if f.Type.Results != nil {
			call = "return " + call
		}
		head := string(s.text[s.offset(f.Pos()):s.offset(f.Name.Pos())]) + "doing" + f.Name.Name + string(s.text[s.offset(f.Name.End()):s.offset(f.Body.Lbrace)])
		s.insert(s.offset(f.Body.Lbrace)+1, "\n"+call+"\n}\n\n"+head+"{")
	})
}

// wrapAssignments puts each assignment into a function literal that is called at once.
func wrapAssignments(s *source) {
	each(s, func(block *ast.BlockStmt) {
		for _, stmt := range block.List {
			assign, ok := stmt.(*ast.AssignStmt)
			_, counts := stmt.(*ast.IncDecStmt)
			if counts || ok && assign.Tok != token.DEFINE {
				s.insert(s.offset(stmt.Pos()), "func() {\n")
				s.insert(s.offset(stmt.End()), "\n}()")
			}
		}
	})
}

func expandGoCalls(s *source) {
	each(s, func(stmt *ast.ExprStmt) {
		call, ok := stmt.X.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if f, ok := s.info.Uses[sel.Sel].(*types.Func); !ok || f.FullName() != "(*sync.WaitGroup).Go" {
			return
		}
		s.replace(s.offset(stmt.Pos()), s.offset(call.Args[0].Pos()), fmt.Sprintf("%s.Add(1)\ngo func() {\ndefer %[1]s.Done()\n(", s.textOf(sel.X)))
		s.replace(s.offset(call.Args[0].End()), s.offset(stmt.End()), ")()\n}()")
	})
}

func addFields(s *source) {
	each(s, func(t *ast.TypeSpec) {
		if st, ok := t.Type.(*ast.StructType); ok {
			s.insert(s.offset(st.Fields.Opening)+1, "\nspare int\n")
			s.insert(s.offset(st.Fields.Closing), "\n")
		}
	})
}

func expandOperators(s *source) {
	each(s, func(n *ast.IncDecStmt) {
		s.replace(s.offset(n.TokPos), s.offset(n.End()), " "+n.Tok.String()[:1]+"= 1")
	})
	each(s, func(n *ast.AssignStmt) {
		if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
			s.replace(s.offset(n.TokPos), s.offset(n.Rhs[0].Pos()), "= "+s.textOf(n.Lhs[0])+n.Tok.String()[:1]+"(")
			s.insert(s.offset(n.Rhs[0].End()), ")")
		}
	})
}

func addBlocks(s *source) {
	each(s, func(f *ast.FuncDecl) {
		if f.Body != nil && len(f.Body.List) > 0 {
			s.insert(s.offset(f.Body.Lbrace)+1, "\n{\n")
			s.insert(s.offset(f.Body.Rbrace), "\n}\n")
		}
	})
}

func rewriteLoops(s *source) {
	each(s, func(r *ast.RangeStmt) {
		if r.Key != nil {
			return
		}
		if t, ok := s.info.TypeOf(r.X).Underlying().(*types.Basic); ok && t.Info()&types.IsInteger != 0 {
			s.replace(s.offset(r.For), s.offset(r.X.Pos()), "for round := 0; round < ")
			s.insert(s.offset(r.X.End()), "; round++")
		}
	})
}
