package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/sharing"
)

// An editor rewrites one file.
type editor struct {
	path   string // of the original, absolute
	src    []byte
	tokens *token.File
	file   *ast.File

	pkg          *types.Package
	info         *types.Info
	sizes        types.Sizes
	facts        *facts
	sharing      *sharing.Facts
	provenance   *provenance.Facts
	fset         *token.FileSet
	written      map[string]bool // the package variables of all packages that are shared
	names        map[ast.Node]string
	version      string // language version of the file, "" for the newest
	release      string // see Options.Release
	perIteration bool   // loop variables are new in each iteration
	directives   bool   // the file holds line directives

	// shadowsHelpers says that the package gives predeclared names a meaning
	// of its own.
	shadowsHelpers bool
	atomicMethods  bool            // see Options.AtomicMethods
	inside         bool            // see Options.Inside
	calls          map[string]bool // see Options.Calls
	helpers        map[string]bool // in use

	alias string          // name of the imported run-time library
	used  bool            // a hook was inserted
	temps int             // temporaries made
	keep  map[string]bool // functions to refer to so that their import stays in use
	fn    string          // runtime's name of the function that is being rewritten
	scope *scope
	// results are the results of that function, defers says that it defers calls.
	results *ast.FieldList
	defers  bool
	later   *ast.CallExpr // the call of the go or defer statement being rewritten
	// discarded is the call that the expression statement being rewritten
	// consists of, updated the variable that the assignment being rewritten
	// stores what it may have computed from it.
	discarded *ast.CallExpr
	updated   ast.Expr
	// chosen is the send or receive of the clause of a select that is being rewritten.
	chosen ast.Node
	stores map[ast.Expr]token.Pos // see faults
	sites  []site
	// atomicSites is what atomics returns, once it was asked for; asserted are the
	// operands whose hooks note an assertion, with its call.
	atomicSites map[uint64]atomicLine
	asserted    map[ast.Expr]*ast.CallExpr
	// complete are the operands at which all of a call, or return statement, are
	// evaluated: their hooks note that.
	complete map[ast.Expr]ast.Node
	joined   map[*ast.BinaryExpr]bool // see join
	text     string                   // the result
}

// hook is the name of function fn of the run-time library in this file.
func (e *editor) hook(fn string) string {
	e.used = true
	return e.alias + "." + fn
}

// temp is a new name for a temporary.
func (e *editor) temp() string {
	e.temps++
	return fmt.Sprintf("%s%d", e.alias, e.temps)
}

// edit rewrites the file, in which the run-time library is imported from
// importPath.
func (e *editor) edit(importPath string) error {
	e.scope = &scope{}
	var ps []piece
	for _, d := range e.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			ps = append(ps, at(d, e.function(d)))
		case *ast.GenDecl:
			e.fn = symbolPath(e.pkg.Path()) + ".init"
			ps = append(ps, at(d, e.decl(d)))
		}
	}
	if !e.used {
		e.text = string(e.src)
		return nil
	}
	name := after(e.file.Name.End(), ";import "+e.alias+" "+quote(importPath))
	start := token.Pos(e.tokens.Base())
	e.text = e.splice(start, start+token.Pos(e.tokens.Size()), append([]piece{name}, ps...)...)
	e.text += e.helperText() + e.references()
	if older(e.version, generics) {
		text, err := constrain(e.text, e.path)
		if err != nil {
			return fmt.Errorf("%s: build constraint: %w", e.path, err)
		}
		e.text = text
	}
	return nil
}

// references are declarations at the end of the file that keep imports in use.
func (e *editor) references() string {
	if len(e.keep) == 0 {
		return ""
	}
	var names []string
	for name := range e.keep {
		names = append(names, name)
	}
	sort.Strings(names)
	return "\nvar _ = " + strings.Join(names, "\nvar _ = ") + "\n"
}

// aliasFor is a name that no identifier in the files begins with.
func aliasFor(files []*ast.File) string {
	alias := "_gopredict"
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for strings.HasPrefix(id.Name, alias) {
					alias += "_"
				}
			}
			return true
		})
	}
	return alias
}
