package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has the hooks of plain accesses, branches and assertions, which the rewriter has
// put into the program. Nearly all events come from here, so that the fast paths (touch,
// logBranch) call nothing.

// Load logs a read of *p and returns p.
func Load[T any](p *T, site uint32) *T {
	if Mode != 0 {
		logAccess(unsafe.Pointer(p), unsafe.Pointer(p), unsafe.Sizeof(*p), uint64(site)<<32|uint64(KindRead))
	}
	return p
}

// Ref is a place that is about to be stored to.
type Ref[T any] struct {
	p    *T
	head uint64 // of the event, without its kind
}

// Store names the place of a store; Set does it.
func Store[T any](p *T, site uint32) Ref[T] { return Ref[T]{p, uint64(site) << 32} }

// Set logs a write of v and stores it.
func (r Ref[T]) Set(v T) {
	if Mode != 0 {
		logAccess(unsafe.Pointer(r.p), unsafe.Pointer(&v), unsafe.Sizeof(v), r.head|uint64(KindWrite))
	}
	*r.p = v
}

// Refs are two places that one statement is about to store to.
type Refs[T, U any] struct {
	a Ref[T]
	b Ref[U]
}

// Both names the places of two stores; Set does them.
func Both[T, U any](a Ref[T], b Ref[U]) Refs[T, U] { return Refs[T, U]{a, b} }

// Set logs a write of v and stores it, and then of w.
func (r Refs[T, U]) Set(v T, w U) {
	r.a.Set(v)
	r.b.Set(w)
}

// Write logs a write of *p, whose value is not known yet, and returns p.
func Write[T any](p *T, site uint32) *T {
	if Mode != 0 {
		logAccess(unsafe.Pointer(p), nil, unsafe.Sizeof(*p), uint64(site)<<32|uint64(KindWrite))
	}
	return p
}

// MapRead logs that the map m is read, and returns it.
func MapRead[M any](m M, site uint32) M {
	if Mode != 0 {
		logAccess(*(*unsafe.Pointer)(unsafe.Pointer(&m)), nil, 8, uint64(site)<<32|uint64(flagMap)<<8|uint64(KindRead))
	}
	return m
}

// MapWrite logs that the map m is changed, and returns it.
func MapWrite[M any](m M, site uint32) M {
	if Mode != 0 {
		logAccess(*(*unsafe.Pointer)(unsafe.Pointer(&m)), nil, 8, uint64(site)<<32|uint64(flagMap)<<8|uint64(KindWrite))
	}
	return m
}

// SliceRead logs a read of all elements of s, and returns it.
func SliceRead[E any, S ~[]E](s S, site uint32) S {
	if Mode != 0 {
		accessSpan(KindRead, unsafe.Pointer(unsafe.SliceData(s)), len(s), unsafe.Sizeof(s[0]), site)
	}
	return s
}

// SliceWrite logs a write of all elements of s, and returns it.
func SliceWrite[E any, S ~[]E](s S, site uint32) S {
	if Mode != 0 {
		accessSpan(KindWrite, unsafe.Pointer(unsafe.SliceData(s)), len(s), unsafe.Sizeof(s[0]), site)
	}
	return s
}

// Append logs what appending n elements to s does to its array: it writes
// after the length if there is room, else reads the old elements.
func Append[E any, S ~[]E](s S, n int, site uint32) S {
	if Mode != 0 {
		accessAppend((*header)(unsafe.Pointer(&s)), n, unsafe.Sizeof(s[0]), site)
	}
	return s
}

// Len is called with the channel whose length is about to be looked at, and returns it.
func Len[C any](ch C) C {
	if Mode != 0 {
		countLengthLook(*(*uint64)(unsafe.Pointer(&ch)))
	}
	return ch
}

// length counts a look at the length of a channel, which has no event: the trace says
// that there was one.
func countLengthLook(ch uint64) {
	if g := current(); g != nil {
		g.countLook(ch, true)
		g.account.noteInput(lengthInput)
	}
}

// span logs an access of n elements of the given size at p.
//
//go:noinline
func accessSpan(kind uint8, p unsafe.Pointer, n int, size uintptr, site uint32) {
	access(kind, 0, p, uintptr(n)*size, nil, site)
}

// header is the three words of a slice.
type header struct {
	p             unsafe.Pointer
	length, limit int
}

//go:nocheckptr
func accessAppend(s *header, n int, size uintptr, site uint32) {
	switch {
	case n <= 0:
	case s.limit-s.length >= n:
		accessSpan(KindWrite, unsafe.Add(s.p, uintptr(s.length)*size), n, size, site)
	default:
		accessSpan(KindRead, s.p, s.length, size, site)
	}
}

// touch logs a plain access of size bytes at p. The value is at val, if that is
// not nil. head holds the kind, flags and site as the event's first word does.
//
// This is the way that nearly all events take, so it takes care of what it can
// without a call, and leaves the rest to access. It is nosplit: the goroutine is
// not switched between the event and what the caller then does.
//
//go:nosplit
//go:noinline
//go:nocheckptr
func logAccess(p, val unsafe.Pointer, size uintptr, head uint64) {
	g := (*goroutine)(runtime.PredictSelf())
	addr := uint64(uintptr(p))
	if uintptr(unsafe.Pointer(g)) != fastRecord || nextEvent > hookLimit || addr-minObj >= maxObj-minObj || size-1 >= wideSize-1 {
		access(uint8(head), uint8(head>>8), p, size, val, uint32(head>>32))
		return
	}
	if runtime.PredictOnStack(uintptr(p)) {
		return
	}
	switch {
	case uint8(head) != KindRead:
		if mayBeFirstWrite(addr) {
			access(uint8(head), uint8(head>>8), p, size, val, uint32(head>>32))
			return
		}
		g.lastReadObject, g.polling.hasChanged = 0, true
	case g.lastReadObject != addr:
		g.lastReadObject, g.sameReads = addr, 0
		g.polling.readHash += addr
	case (g.sameReads+1)%spinLimit == 0:
		access(uint8(head), uint8(head>>8), p, size, val, uint32(head>>32))
		return
	default:
		g.sameReads++
	}
	w := (*[3]uint64)(unsafe.Pointer(nextEvent))
	head = head&^(0xff&^plainFlags<<8) | formShort | uint64(size)<<16
	if val == nil || size > 8 {
		w[0], w[1] = head, addr
		nextEvent += 2 * 8
		return
	}
	v := readValue(val, size)
	var long uint64
	if v >= 1<<16 {
		long = 1
	}
	// The third word is written in any case: the next event is, too, where
	// this one does not need it.
	w[0] = (head | uint64(flagValue)<<8) + long*(formLong-formShort)
	w[1] = addr | v<<objBits
	w[2] = v >> (64 - objBits)
	nextEvent += uintptr(2*8 + 8*long)
}

// access logs a plain access of size bytes at p. The value is at val, if that
// is not nil.
func access(kind, flags uint8, p unsafe.Pointer, size uintptr, val unsafe.Pointer, site uint32) {
	if what := flags >> shapeShift; what != 0 {
		accessShape(kind, p, val, size, site, what, false)
		return
	}
	if size == 0 || uintptr(p) < 4096 || runtime.PredictOnStack(uintptr(p)) {
		return
	}
	g := current()
	if g == nil {
		return
	}
	if g.skipsAccesses() {
		g.noteSkippedAccess(kind, p)
		return
	}
	g.followOrder(kind, uint64(uintptr(p)))
	if kind == KindRead {
		g.countRead(uint64(uintptr(p)))
	} else {
		g.lastReadObject = 0
	}
	if size > 1<<32-1 {
		size = 1<<32 - 1
	}
	if size > 8 {
		val = nil
	}
	g.actor.pass(kind, site, uint64(uintptr(p)), uint32(size), val)
	makeRoom()
	if kind == KindWrite {
		if flags&flagMap != 0 { // a header: what is in it is no value
			noteFirstWrite(p)
		}
		g.logInitialValue(p, size, 0, site)
	}
	g.logValue(kind, flags, p, val, size, site, 0)
}

// valueAt returns the size bytes at p, at most eight, as a number.
//
//go:nosplit
//go:nocheckptr
func readValue(p unsafe.Pointer, size uintptr) uint64 {
	switch size {
	case 8:
		return *(*uint64)(p)
	case 4:
		return uint64(*(*uint32)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 1:
		return uint64(*(*uint8)(p))
	}
	var v uint64
	for i := uintptr(0); i < size; i++ {
		v |= uint64(*(*uint8)(unsafe.Add(p, i))) << (8 * i)
	}
	return v
}

// Branch logs the outcome of a condition, and returns it.
func Branch[B ~bool](c B, site uint32) B {
	if Mode != 0 {
		branch(bool(c), site)
	}
	return c
}

// branch logs a condition's outcome, which is 1 or 0.
func branch(c bool, site uint32) {
	if c {
		logBranch(1, site)
	} else {
		logBranch(0, site)
	}
}

// Case logs that the program has gone into the n-th of several ways.
func Case(n uint64, site uint32) {
	if Mode != 0 {
		logBranch(n, site)
	}
}

//go:nosplit
//go:noinline
//go:nocheckptr
func logBranch(n uint64, site uint32) {
	if uintptr(runtime.PredictSelf()) != fastRecord || nextEvent > hookLimit || n >= 1<<16 {
		logBranchSlowly(n, site)
		return
	}
	*(*uint64)(unsafe.Pointer(nextEvent)) = uint64(KindBranch) | formBare | n<<16 | uint64(site)<<32
	nextEvent += 8
}

// logBranchSlowly is logBranch where something is to be looked at first.
func logBranchSlowly(n uint64, site uint32) {
	g := current()
	if g == nil || g.skipsAccesses() {
		return
	}
	g.actor.pass(KindBranch, site, 0, 8, unsafe.Pointer(&n))
	makeRoom()
	g.log(KindBranch, 0, site, 0, 0, n)
}

// Assert logs that the assertion of which v is an operand is about to be evaluated,
// and returns v.
func Assert[T any](v T, site uint32) T {
	if Mode != 0 {
		logAssertion(site)
	}
	return v
}

// logAssertion logs that an assertion is about to be evaluated; what becomes of it
// follows from its operands.
func logAssertion(site uint32) {
	g := current()
	if g == nil || g.skipsAccesses() {
		return
	}
	g.actor.pass(KindAssert, site, 0, 0, nil)
	makeRoom()
	g.log(KindAssert, 0, site, 0, 0, 1)
}

// Fails logs that the goroutine makes its test fail, or ends the program as failed. The site
// is where the program's own packages do so, also by way of a library of assertions; where
// none of them is in the stack, what pc returns to.
func TestFails(pc uintptr) {
	if Mode == 0 {
		return
	}
	g := current()
	if g == nil {
		return
	}
	site := programCall(true)
	if site == noProgramSite {
		site = siteOf(pc)
	}
	g.actor.pass(KindAssert, site, 0, 0, nil)
	makeRoom()
	g.log(KindAssert, 0, site, 0, 0, 0)
}

// Mark logs that the program has come by.
func Mark(site uint32) {
	if Mode != 0 {
		logMark(site)
	}
}

// Marked logs that v has been evaluated, and returns it.
func Marked[T any](v T, site uint32) T {
	if Mode != 0 {
		logMark(site)
	}
	return v
}

// logMark logs an operand without a value: that the program came by.
func logMark(site uint32) {
	g := current()
	if g == nil {
		return
	}
	makeRoom()
	g.log(KindOperand, 0, site, 0, 0, 0)
}

// Operand logs the value v, and returns it.
func Operand[T any](v T, site uint32) T {
	if Mode != 0 {
		operand(unsafe.Pointer(&v), unsafe.Sizeof(v), site)
	}
	return v
}

// operand logs a value of one word that a formula needs.
func operand(p unsafe.Pointer, size uintptr, site uint32) {
	g := current()
	if g == nil || size > 8 || g.skipsAccesses() {
		return
	}
	makeRoom()
	g.log(KindOperand, flagValue, site, uint32(size), 0, readValue(p, size))
}
