package predictrt

import (
	"runtime"
	"unsafe"
)

// This file logs accesses to strings, interfaces and slices, which have more than one word. The
// value of such an event is a digest, a hash of one word. It is computed where formulas need it,
// and, in a replay, for goroutines of the schedule, whose values reports show. See recorder/trace.

// The shapes of values of several words. Hooks get the shape and the site in one word, called
// head: the shape is in the upper bits of the flags, as in the first word of an event.
const (
	shapeString    uint8 = 1 + iota
	shapeSlice           // its digest is its length
	shapeAny             // an interface without methods
	shapeInterface       // an interface with methods

	shapeShift = 5                 // position of the shape in the flags
	plainFlags = 1<<shapeShift - 1 // mask of the other flags
)

// LoadOf is [Load] of a value of several words.
func LoadOf[T any](p *T, head uint64) *T {
	if Mode != 0 {
		logAccess(unsafe.Pointer(p), unsafe.Pointer(p), unsafe.Sizeof(*p), head|uint64(KindRead))
	}
	return p
}

// StoreOf is [Store] of a value of several words.
func StoreOf[T any](p *T, head uint64) Ref[T] { return Ref[T]{p, head} }

// LoadKept is [LoadOf] where a formula needs the value.
func LoadKept[T any](p *T, head uint64) *T {
	if Mode != 0 {
		logKept(unsafe.Pointer(p), unsafe.Pointer(p), unsafe.Sizeof(*p), head|uint64(KindRead))
	}
	return p
}

// RefKept is [Ref] of a value of several words that a formula needs.
type RefKept[T any] struct {
	p    *T
	head uint64
}

// StoreKept is [StoreOf] where a formula needs the value.
func StoreKept[T any](p *T, head uint64) RefKept[T] { return RefKept[T]{p, head} }

// Set logs a write of v, and stores it.
func (r RefKept[T]) Set(v T) {
	if Mode != 0 {
		logKept(unsafe.Pointer(r.p), unsafe.Pointer(&v), unsafe.Sizeof(v), r.head|uint64(KindWrite))
	}
	*r.p = v
}

// OperandOf is [Operand] of a value of several words.
func OperandOf[T any](v T, head uint64) T {
	if Mode != 0 {
		logShapedOperand(unsafe.Pointer(&v), unsafe.Sizeof(v), uint32(head>>32), uint8(head>>8)>>shapeShift)
	}
	return v
}

// logKept logs an access to a value of several words that a formula needs.
//
//go:noinline
func logKept(p, val unsafe.Pointer, size uintptr, head uint64) {
	accessShaped(uint8(head), p, val, size, uint32(head>>32), uint8(head>>8)>>shapeShift, true)
}

// accessShaped logs an access to a value of several words. If no formula needs the value, kept is
// false.
func accessShaped(kind uint8, p, val unsafe.Pointer, size uintptr, site uint32, shape uint8, kept bool) {
	g := callee(p)
	if g == nil {
		return
	}
	if g.skipsAccesses() {
		g.noteSkippedAccess(kind, p)
		return
	}
	if kind == KindRead {
		g.countRead(uint64(uintptr(p)))
	} else {
		g.lastReadObject = 0
	}
	g.actor.pass(kind, site, uint64(uintptr(p)), uint32(size), nil)
	if g.actor != nil && isRecording {
		writeDigest(val, shape)
	}
	makeRoom()
	if kind == KindWrite {
		if !kept {
			noteFirstWrite(p)
		}
		g.logInitialValue(p, size, shape, site)
	}
	if !kept && g.actor == nil {
		val = nil
	}
	g.logValue(kind, 0, p, val, size, site, shape)
}

// logValue logs an event with the value at val, or its digest if the value has a shape. It reads
// the value last, after all that could let another goroutine run.
//
//go:nosplit
func (g *goroutine) logValue(kind, flags uint8, p, val unsafe.Pointer, size uintptr, site uint32, what uint8) {
	var v uint64
	ok := false
	switch {
	case val == nil:
	case what == 0:
		v, ok = readValue(val, size), true
	default:
		v, ok = digest(val, what)
	}
	if ok {
		flags |= flagValue
	}
	g.log(kind, flags, site, uint32(size), uint64(uintptr(p)), v)
}

// logShapedOperand logs an operand of several words, if it has a digest.
func logShapedOperand(val unsafe.Pointer, size uintptr, site uint32, shape uint8) {
	g := current()
	if g == nil || g.skipsAccesses() {
		return
	}
	makeRoom()
	g.logValue(KindOperand, 0, nil, val, size, site, shape)
}

// digest returns the digest of the value at p. It reports false if the value has none: only values
// of few types have digests that differ if they differ.
//
//go:nosplit
//go:nocheckptr
func digest(p unsafe.Pointer, shape uint8) (uint64, bool) {
	switch shape {
	case shapeString:
		s := (*stringHeader)(p)
		return digestString(s.p, s.n)
	case shapeSlice:
		return uint64((*stringHeader)(p).n), true
	}
	d := runtime.PredictInterface(p, shape == shapeInterface)
	switch {
	case d.Type == nil:
		return 0, true
	case !d.Comparable:
		return 0, false
	case d.Direct:
		return digestTyped(d.Type, uint64(uintptr(d.Data))), true
	case !runtime.PredictReadable(uintptr(d.Data), d.Size):
		return 0, false
	case d.Kind >= firstWord && d.Kind <= lastWord:
		return digestTyped(d.Type, readValue(d.Data, d.Size)), true
	case d.Kind == stringKind:
		s := (*stringHeader)(d.Data)
		v, ok := digestString(s.p, s.n)
		return digestTyped(d.Type, v), ok
	}
	return 0, false
}

// The numbers of kinds in package reflect: bool and the integers, and strings.
const (
	firstWord  = 1
	lastWord   = 12
	stringKind = 24
)

// A stringHeader is the first two words of a string or slice.
type stringHeader struct {
	p unsafe.Pointer
	n int
}

// digestString returns the digest of n bytes at p, which is 0 only for the empty string.
//
//go:nosplit
//go:nocheckptr
func digestString(p unsafe.Pointer, n int) (uint64, bool) {
	if n == 0 {
		return 0, true
	}
	if n < 0 || n > maxDigested || !runtime.PredictReadable(uintptr(p), uintptr(n)) {
		return 0, false
	}
	h := mix(fnvOffset, uint64(n))
	for ; n > 0; n -= 8 {
		h = mix(h, readValue(p, uintptr(min(n, 8))))
		p = unsafe.Add(p, 8)
	}
	return max(h>>4, 1), true
}

// digestTyped returns the digest of a value with a dynamic type.
//
//go:nosplit
func digestTyped(typ unsafe.Pointer, v uint64) uint64 {
	return max(mix(mix(fnvOffset, uint64(uintptr(typ))), v)>>4, 1)
}

// mix adds a word to a hash.
//
//go:nosplit
func mix(h, w uint64) uint64 {
	h = (h ^ w) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// digestsWritten has, by their low bits, digests whose values are in the trace already.
var digestsWritten [1024]uint64

// writeDigest writes the value at p into the trace, in words, if its digest is not 0.
func writeDigest(p unsafe.Pointer, shape uint8) {
	if shape == shapeSlice {
		return
	}
	was := *(*[2]unsafe.Pointer)(p) // another goroutine may change it
	p = unsafe.Pointer(&was)
	v, ok := digest(p, shape)
	if !ok || v == 0 || digestsWritten[v%uint64(len(digestsWritten))] == v {
		return
	}
	var known string
	switch shape {
	case shapeString:
		known = *(*string)(p)
	default:
		d := runtime.PredictInterface(p, shape == shapeInterface)
		known, shape = runtime.PredictTypeName(d.Type), shapeAny
		switch {
		case d.Kind == stringKind && known == "string":
			known, shape = *(*string)(d.Data), shapeString
		case d.Kind == firstWord && known == "bool":
			known = "false"
			if *(*bool)(d.Data) {
				known = "true"
			}
		case d.Kind > firstWord && d.Kind <= 6:
			shift := 64 - 8*d.Size
			n := int64(readValue(d.Data, d.Size)<<shift) >> shift
			if known += "("; n < 0 {
				known += "-" + itoa(uint64(-n)) + ")"
			} else {
				known += itoa(uint64(n)) + ")"
			}
		}
	}
	digestsWritten[v%uint64(len(digestsWritten))] = v
	limit := 2 * maxQuoted
	if shape == shapeString {
		limit = maxQuoted
	}
	d := startDefinition(metaDefinitions, 4*limit+64)
	d.text("text ")
	d.text(hex(v))
	d.text(" ")
	d.quoted(known, limit, shape == shapeString)
	d.text("\n")
	d.commit()
}

// quoted appends the first limit bytes of s, escaped as in a Go string, with an ellipsis if there
// are more. Around a string it puts escaped quotes.
func (d *definitions) quoted(s string, limit int, isText bool) {
	quote := ""
	if isText {
		quote = "\\x22"
	}
	cut := ""
	if len(s) > limit {
		s, cut = s[:limit], "\\u2026"
	}
	d.text(quote)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c <= '~' && c != '"' && c != '\\' {
			d.data[d.end] = c
			d.end++
		} else {
			d.text("\\x")
			d.text("0123456789abcdef"[c>>4 : c>>4+1])
			d.text("0123456789abcdef"[c&15 : c&15+1])
		}
	}
	d.text(cut)
	d.text(quote)
}
