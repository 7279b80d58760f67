package sharing

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What the standard library writes on behalf of the program has events (see
// recorder's inside.go), so that fields of what is handed to it may change though
// the program assigns to them nowhere:
//
//	json.Unmarshal(data, &config) // writes all fields of config, and what they lead to
//
// The classes of these fields (class.go) are changing then. All others stay as they are.

// onlyReads reports whether fn, of the standard library, writes to nothing that its
// arguments lead to, as far as their types are not its own.
func onlyReads(fn *ssa.Function) bool {
	if fn.Pkg == nil && fn.Object() == nil {
		return false
	}
	path, name := "", fn.Name()
	if obj := fn.Object(); obj != nil && obj.Pkg() != nil {
		path = obj.Pkg().Path()
	}
	switch path {
	case "fmt":
		return !strings.Contains(strings.ToLower(name), "scan")
	case "errors":
		return name != "As"
	case "context", "log", "os", "strconv", "sync", "sync/atomic", "testing", "time":
		return true
	}
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") // of another module: what it calls has no events
}

// markLent finds the types of what goes to functions that may write through it, and
// notes that their fields may change. If it is not known of some interface what it holds, it is taken
// to hold whatever the program puts into interfaces anywhere.
func (es *escapes) markLent() {
	var any []types.Type // what any interface may hold
	unknown := false
	seen := map[types.Type]bool{}
	es.eachInstruction(func(f *function, instr ssa.Instruction) {
		if v, ok := instr.(*ssa.MakeInterface); ok {
			any = append(any, v.X.Type())
		}
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		c := call.Common()
		if _, builtin := c.Value.(*ssa.Builtin); builtin {
			return
		}
		if fn := c.StaticCallee(); fn != nil && (es.body(fn) != nil || onlyReads(fn)) {
			return
		}
		for _, arg := range c.Args {
			if !es.markLentArgument(arg, seen, map[ssa.Value]bool{}) {
				unknown = true
			}
		}
	})
	if unknown {
		for _, t := range any {
			es.classes.markLent(t, seen)
		}
	}
}

// markLentArgument notes that the fields of what v, an argument, leads to may change. It reports false if v
// is an interface of which it is not known what it holds.
func (es *escapes) markLentArgument(v ssa.Value, types map[types.Type]bool, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeInterface:
		es.classes.markLent(x.X.Type(), types)
		return true
	case *ssa.ChangeInterface:
		return es.markLentArgument(x.X, types, seen)
	case *ssa.Phi:
		all := true
		for _, e := range x.Edges {
			all = es.markLentArgument(e, types, seen) && all
		}
		return all
	case *ssa.Slice: // of the arguments of f(args ...any), which are looked at one by one
		if alloc, ok := x.X.(*ssa.Alloc); ok && alloc.Comment == "varargs" {
			all := true
			for _, r := range *alloc.Referrers() {
				at, ok := r.(*ssa.IndexAddr)
				if !ok {
					continue
				}
				for _, r := range *at.Referrers() {
					if s, ok := r.(*ssa.Store); ok && s.Addr == at {
						all = es.markLentArgument(s.Val, types, seen) && all
					}
				}
			}
			return all
		}
	}
	es.classes.markLent(v.Type(), types)
	return !holdsAny(v.Type())
}

// holdsAny reports whether values of type t are interfaces, or slices of them, that
// may hold anything.
func holdsAny(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Slice:
		return holdsAny(u.Elem())
	}
	return false
}

// markLent notes that the fields of all structs that a value of type t leads to may change, unexported ones
// as well: the library's own methods may write them.
func (c *classes) markLent(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return
	case *types.Struct:
		for i := range u.NumFields() {
			c.changing[c.name(u, i)] = true
		}
	}
	for _, part := range componentsOf(t.Underlying()) {
		c.markLent(part, seen)
	}
}
