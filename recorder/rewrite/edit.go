package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// An editor rewrites one file: its functions and their statements. What it stands on is
// in layers, each of which knows nothing of those above it.
//
//	sourceFile    the text, by positions (source.go)
//	typeInfo      what the syntax tree and its types say (evaluation.go)
//	accessFilter  which places get a hook (filter.go)
//	hookWriter    the text of hooks, and the sites that they have (hook.go)
//	expressions   the text of expressions, and the order of their hooks (expr.go)
//
// Beside the editor, on top of expressions, are an assignment, an update, a callEdit and a
// selectorEdit: each is the text of one such node in the making. So is a rangeEdit, which
// needs statements, too.
type editor struct {
	*expressions
	file                *ast.File
	names               map[ast.Node]string // see functionNamer
	version             string              // language version of the file, "" for the newest
	newVarsPerIteration bool                // loop variables are new in each iteration
	atomicMethods       bool                // see Options.AtomicMethods

	// defersCalls says that the function that is being rewritten defers calls.
	defersCalls bool
	text        string // the result
}

// editFile rewrites the file, in which the run-time library is imported from
// importPath.
func (e *editor) editFile(importPath string) error {
	e.scope = &evaluationScope{}
	var ps []piece
	for _, d := range e.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			ps = append(ps, replace(d, e.functionText(d)))
		case *ast.GenDecl:
			e.funcName = symbolPath(e.pkg.Path()) + ".init"
			ps = append(ps, replace(d, e.declText(d)))
		}
	}
	if !e.hooked {
		e.text = string(e.src)
		return nil
	}
	name := insert(e.file.Name.End(), ";import "+e.alias+" "+quote(importPath))
	start := token.Pos(e.tokens.Base())
	e.text = e.spliceBetween(start, start+token.Pos(e.tokens.Size()), append([]piece{name}, ps...)...)
	e.text += e.helperText() + e.references()
	if isOlder(e.version, firstGenericVersion) {
		text, err := raiseVersion(e.text, e.path)
		if err != nil {
			return fmt.Errorf("%s: build constraint: %w", e.path, err)
		}
		e.text = text
	}
	return nil
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
