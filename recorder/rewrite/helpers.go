package rewrite

import (
	"go/types"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// helpers are functions that rewritten text calls in addition to the run-time library. A file that
// needs some gets them at its end. In their text, P stands for the library and F for the
// function's own name.
var helpers = map[string]string{
	// now makes the compiler load an operand where it stands, in spite of
	// calls that follow.
	"now": `func F[T interface{}](v T) T { return v }`,
	// then evaluates its first operand before its second one, and returns the first.
	"then": `func F[T, U interface{}](v T, _ U) T { return v }`,

	// loop0 to loop2 log that the body of a loop over f is about to be called.
	"loop0": `func F[I interface{ ~func(func() bool) }](f I, w uint32) func(func() bool) {
	return func(yield func() bool) {
		var state byte
		f(func() bool { P.Write(&state, w); return yield() })
	}
}`,
	"loop1": `func F[K interface{}](f func(func(K) bool), w uint32) func(func(K) bool) {
	return func(yield func(K) bool) {
		var state byte
		f(func(k K) bool { P.Write(&state, w); return yield(k) })
	}
}`,
	"loop2": `func F[K, V interface{}](f func(func(K, V) bool), w uint32) func(func(K, V) bool) {
	return func(yield func(K, V) bool) {
		var state byte
		f(func(k K, v V) bool { P.Write(&state, w); return yield(k, v) })
	}
}`,

	"copySlice": `func F[E interface{}, D, S ~[]E](d D, s S, w, r uint32) int {
	n := len(d)
	if len(s) < n {
		n = len(s)
	}
	P.SliceRead(s[:n], r)
	P.SliceWrite(d[:n], w)
	return copy(d, s)
}`,
	"copyString": `func F[D ~[]byte, S ~string](d D, s S, w uint32) int {
	n := len(d)
	if len(s) < n {
		n = len(s)
	}
	P.SliceWrite(d[:n], w)
	return copy(d, s)
}`,
	"appendSlice": `func F[E interface{}, D, S ~[]E](d D, s S, w, r uint32) D {
	return append(P.Append(d, len(s), w), P.SliceRead(s, r)...)
}`,
	"appendMade": `func F[E interface{}, D ~[]E](d D, n int, w uint32) D {
	return append(P.Append(d, n, w), make([]E, n)...)
}`,
	"appendString": `func F[D ~[]byte, S ~string](d D, s S, w uint32) D {
	return append(P.Append(d, len(s), w), s...)
}`,
}

// helper is the name of the helper fn in this file.
func (w *hookWriter) helper(fn string) string {
	w.helpers[fn] = true
	return w.helperName(fn)
}

// helperName differs in each file of a package.
func (w *hookWriter) helperName(fn string) string {
	h := fnv.New32a()
	h.Write([]byte(w.path[strings.LastIndexAny(w.path, `/\`)+1:]))
	return w.alias + "_" + fn + "_" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// helperText declares the helpers that the file uses.
func (w *hookWriter) helperText() string {
	var b strings.Builder
	for _, fn := range slices.Sorted(maps.Keys(w.helpers)) {
		text := strings.Replace(helpers[fn], "F[", w.helperName(fn)+"[", 1)
		b.WriteString("\n" + strings.ReplaceAll(text, "P.", w.alias+".") + "\n")
	}
	return b.String()
}

// shadowsHelpers reports whether a package declares one of the names that the
// helpers expect to be predeclared.
func shadowsHelpers(pkg *types.Package) bool {
	for _, name := range []string{"append", "bool", "byte", "copy", "int", "len", "make", "string", "uint32"} {
		if pkg.Scope().Lookup(name) != nil {
			return true
		}
	}
	return false
}
