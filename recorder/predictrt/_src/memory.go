package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has the hooks of plain accesses, branches and assertions, which the rewriter has put
// into the program. Nearly all events come from here, so that the fast paths (logAccess,
// logBranch) call nothing.

// Load logs a read of *p and returns p.
func Load[T any](p *T, site uint32) *T {
	if Mode != 0 {
		logAccess(unsafe.Pointer(p), unsafe.Pointer(p), unsafe.Sizeof(*p), uint64(site)<<32|uint64(KindRead))
	}
	return p
}

// A Ref is a variable that is about to be stored to.
type Ref[T any] struct {
	p    *T
	head uint64 // of the event, without its kind
}

// Store returns the reference of a store; Set does it.
func Store[T any](p *T, site uint32) Ref[T] { return Ref[T]{p, uint64(site) << 32} }

// Set logs a write of v, and stores it.
func (r Ref[T]) Set(v T) {
	if Mode != 0 {
		logAccess(unsafe.Pointer(r.p), unsafe.Pointer(&v), unsafe.Sizeof(v), r.head|uint64(KindWrite))
	}
	*r.p = v
}

// Refs are two variables that one statement is about to store to.
type Refs[T, U any] struct {
	a Ref[T]
	b Ref[U]
}

// Both returns the references of two stores; Set does them.
func Both[T, U any](a Ref[T], b Ref[U]) Refs[T, U] { return Refs[T, U]{a, b} }

// Set does both stores, in order.
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

// Len is called with the channel whose length is about to be read, and returns it.
func Len[C any](ch C) C {
	if Mode != 0 {
		countLengthLook(*(*uint64)(unsafe.Pointer(&ch)))
	}
	return ch
}

// countLengthLook counts a look of a loop that may poll. The length of a channel has no event; the
// trace says that the test has read one.
func countLengthLook(ch uint64) {
	if g := current(); g != nil {
		g.countLook(ch, true)
		g.account.noteInput(lengthInput)
	}
}

// accessSpan logs an access to n elements of a size at p.
//
//go:noinline
func accessSpan(kind uint8, p unsafe.Pointer, n int, size uintptr, site uint32) {
	access(kind, 0, p, uintptr(n)*size, nil, site)
}

// A header is the three words of a slice.
type header struct {
	p             unsafe.Pointer
	length, limit int
}

// accessAppend is [Append] for elements of a size.
//
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

// logAccess logs a plain access of size bytes at p. The value is at val, if that is not nil. head
// has the kind, the flags and the site, as the first word of the event.
//
// Nearly all events take this way. So it does what it can without a call, and leaves the rest to
// access. It is nosplit: no other goroutine runs between the event and the access that follows.
//
//go:nosplit
//go:noinline
//go:nocheckptr
func logAccess(p, val unsafe.Pointer, size uintptr, head uint64) {
	g := (*goroutine)(runtime.PredictRecord())
	addr := uint64(uintptr(p))
	if uintptr(unsafe.Pointer(g)) != fastRecord || nextEvent > hookLimit || addr-minFastObject >= maxFastObject-minFastObject || size-1 >= wideSize-1 {
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
	case (g.sameReads+1)%readsPerYield == 0:
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
	// The third word is written in any case. If this event does not need it, the next one
	// overwrites it.
	w[0] = (head | uint64(flagValue)<<8) + long*(formLong-formShort)
	w[1] = addr | v<<objectBits
	w[2] = v >> (64 - objectBits)
	nextEvent += uintptr(2*8 + 8*long)
}

// access logs a plain access of size bytes at p. The value is at val, if that is not nil.
func access(kind, flags uint8, p unsafe.Pointer, size uintptr, val unsafe.Pointer, site uint32) {
	if what := flags >> shapeShift; what != 0 {
		accessShaped(kind, p, val, size, site, what, false)
		return
	}
	g := callee(p)
	if size == 0 || g == nil {
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
		if flags&flagMap != 0 { // the words of a map are no value of the program
			noteFirstWrite(p)
		}
		g.logInitialValue(p, size, 0, site)
	}
	g.logValue(kind, flags, p, val, size, site, 0)
}

// readValue returns the size bytes at p, at most eight, as a number.
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

// branch logs a condition, as 1 or 0.
func branch(c bool, site uint32) {
	if c {
		logBranch(1, site)
	} else {
		logBranch(0, site)
	}
}

// Case logs that the program has taken the n-th of several ways.
func Case(n uint64, site uint32) {
	if Mode != 0 {
		logBranch(n, site)
	}
}

// logBranch logs a branch with the value n.
//
//go:nosplit
//go:noinline
//go:nocheckptr
func logBranch(n uint64, site uint32) {
	if uintptr(runtime.PredictRecord()) != fastRecord || nextEvent > hookLimit || n >= 1<<16 {
		logBranchSlow(n, site)
		return
	}
	*(*uint64)(unsafe.Pointer(nextEvent)) = uint64(KindBranch) | formBare | n<<16 | uint64(site)<<32
	nextEvent += 8
}

// logBranchSlow is logBranch without the fast path.
func logBranchSlow(n uint64, site uint32) {
	g := current()
	if g == nil || g.skipsAccesses() {
		return
	}
	g.actor.pass(KindBranch, site, 0, 8, unsafe.Pointer(&n))
	makeRoom()
	g.log(KindBranch, 0, site, 0, 0, n)
}

// Assert logs that an assertion is about to be evaluated, of which v is an operand, and returns v.
func Assert[T any](v T, site uint32) T {
	if Mode != 0 {
		logAssertion(site)
	}
	return v
}

// logAssertion logs an assertion. Whether it fails follows from its operands.
func logAssertion(site uint32) {
	g := current()
	if g == nil || g.skipsAccesses() {
		return
	}
	g.actor.pass(KindAssert, site, 0, 0, nil)
	makeRoom()
	g.log(KindAssert, 0, site, 0, 0, 1)
}

// TestFails logs that the goroutine makes its test fail, or ends the program as failed. The site
// is that of the program's own call, also by way of a library of assertions, or else of the call
// that returns to pc.
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

// Mark logs that the program has reached a place.
func Mark(site uint32) {
	if Mode != 0 {
		logMark(site)
	}
}

// Marked logs that v was evaluated, and returns it.
func Marked[T any](v T, site uint32) T {
	if Mode != 0 {
		logMark(site)
	}
	return v
}

// logMark logs an operand without a value.
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

// operand logs a value of at most one word that a formula needs.
func operand(p unsafe.Pointer, size uintptr, site uint32) {
	g := current()
	if g == nil || size > 8 || g.skipsAccesses() {
		return
	}
	makeRoom()
	g.log(KindOperand, flagValue, site, uint32(size), 0, readValue(p, size))
}
