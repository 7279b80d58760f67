package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// A functionNamer gives the functions of a package, file by file in the order of
// compilation, the names that the runtime prints for them in a stack trace, as
// far as inlining does not change them: "p.F", "p.(*T).M", "p.F.func1",
// "p.G[...]", "p.init.0", and "p.init.func1" for a literal in the initializer
// of a package variable. Literals are numbered in source order.
type functionNamer struct {
	prefix              string
	info                *types.Info
	initializerLiterals int // function literals in initializers of package variables, so far
	initFunctions       int // init functions so far
}

func newNamer(pkg *types.Package, info *types.Info) *functionNamer {
	return &functionNamer{prefix: symbolPath(pkg.Path()) + ".", info: info}
}

// file names the functions and function literals of a file.
func (n *functionNamer) file(file *ast.File) map[ast.Node]string {
	names := map[ast.Node]string{}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			n.initializerLiterals = n.literals(names, decl, n.prefix+"init", ".func", n.initializerLiterals)
			continue
		}
		name := n.prefix + receiverName(n.info, fn) + fn.Name.Name
		if fn.Recv == nil && fn.Name.Name == "init" {
			name += fmt.Sprintf(".%d", n.initFunctions)
			n.initFunctions++
		}
		if fn.Type.TypeParams != nil {
			name += "[...]"
		}
		names[fn] = name
		if fn.Body != nil {
			n.literals(names, fn.Body, name, ".func", 0)
		}
	}
	return names
}

// literals names the function literals directly in root, numbered from count+1,
// and those inside of them. The body of a range over a function is a function,
// too, but the literals in it count as the surrounding function's.
func (n *functionNamer) literals(names map[ast.Node]string, root ast.Node, outer, sep string, count int) int {
	ranges := 0
	ast.Inspect(root, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			count++
			names[node] = fmt.Sprintf("%s%s%d", outer, sep, count)
			n.literals(names, node.Body, names[node], ".", 0)
			return false
		case *ast.RangeStmt:
			if _, ok := coreType(n.info.TypeOf(node.X)).(*types.Signature); ok {
				ranges++
				names[node] = fmt.Sprintf("%s-range%d", outer, ranges)
			}
		}
		return true
	})
	return count
}

// receiverName is the part of a method's name before its own: "(*T)." or "T.".
func receiverName(info *types.Info, fn *ast.FuncDecl) string {
	obj, ok := info.Defs[fn.Name].(*types.Func)
	if !ok || obj.Signature().Recv() == nil {
		return ""
	}
	t := types.Unalias(obj.Signature().Recv().Type())
	ptr, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(ptr.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	name := named.Obj().Name()
	if named.TypeParams().Len() > 0 {
		name += "[...]"
	}
	if pointer {
		return "(*" + name + ")."
	}
	return name + "."
}

// symbolPath is an import path as the linker writes it in symbol names: dots
// after the last slash and a few other characters are escaped.
func symbolPath(path string) string {
	slash := strings.LastIndex(path, "/")
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
