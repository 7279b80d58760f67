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
// notes that their fields may change. An interface is taken to hold whatever the program puts
// into interfaces anywhere.
func (es *escapeAnalysis) markLent() {
	var boxed []types.Type // what an interface may hold
	lendsInterface := false
	seen := map[types.Type]bool{}
	es.eachInstruction(func(f *function, instr ssa.Instruction) {
		if v, ok := instr.(*ssa.MakeInterface); ok {
			boxed = append(boxed, v.X.Type())
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
			es.classes.markLent(arg.Type(), seen)
			lendsInterface = lendsInterface || holdsAny(arg.Type())
		}
	})
	if lendsInterface {
		for _, t := range boxed {
			es.classes.markLent(t, seen)
		}
	}
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
func (c *fieldClasses) markLent(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return
	case *types.Struct:
		for i := range u.NumFields() {
			c.changingFields[c.name(u, i)] = true
		}
	}
	for _, part := range componentsOf(t.Underlying()) {
		c.markLent(part, seen)
	}
}
