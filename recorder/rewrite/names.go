package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// funcNames gives each function of a file the name that the runtime prints for
// it in a stack trace, as far as inlining does not change it: "p.F",
// "p.(*T).M", "p.F.func1", "p.G[...]", and "p.init.func1" for a literal in a
// package variable's initializer. Literals are numbered in source order.
// globals is the number of such literals in the files before; the new number
// is returned.
func funcNames(pkg *types.Package, info *types.Info, file *ast.File, globals int) (map[ast.Node]string, int) {
	names := map[ast.Node]string{}
	prefix := symbolPath(pkg.Path()) + "."
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			globals = nameLits(names, decl, prefix+"init", ".func", globals)
			continue
		}
		name := prefix + receiverName(info, fn) + fn.Name.Name
		if fn.Type.TypeParams != nil {
			name += "[...]"
		}
		names[fn] = name
		if fn.Body != nil {
			nameLits(names, fn.Body, name, ".func", 0)
		}
	}
	return names, globals
}

// nameLits names the function literals directly in root, numbered from n+1,
// and those inside of them.
func nameLits(names map[ast.Node]string, root ast.Node, outer, sep string, n int) int {
	ast.Inspect(root, func(node ast.Node) bool {
		lit, ok := node.(*ast.FuncLit)
		if !ok {
			return true
		}
		n++
		names[lit] = fmt.Sprintf("%s%s%d", outer, sep, n)
		nameLits(names, lit.Body, names[lit], ".", 0)
		return false
	})
	return n
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
