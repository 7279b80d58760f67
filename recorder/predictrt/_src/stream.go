package predictrt

import (
	"runtime"
	"unsafe"
)

// This file orders what goroutines of the program send each other through the kernel, by pipes and
// sockets whose two ends are both its own. Bytes that are read were written to the other end
// before, and the n-th connection that is accepted is the n-th that was requested. What is read
// from elsewhere may have been written anywhere.

// streamObjects counts the numbers that newObject has returned.
var streamObjects uint64

// newObject returns a number for a new stream, queue or the like, which is no address.
func newObject() uint64 {
	const base = 1 << 62
	streamObjects++
	return base + streamObjects
}

// A stream is the bytes that go one way, in pieces as they were written.
type stream struct {
	pieces  []piece // that were not read as a whole, in order
	written uint64  // bytes
	read    uint64  // bytes
	// isInternal says that both ends are the program's, and no other process has them.
	isInternal bool
	// isPipe says that a reader wakes a writer at once. A connection of TCP does that only when
	// there is enough room again, or after a while.
	isPipe bool
}

// A piece is what one write puts into a stream.
type piece struct {
	obj    uint64 // its number in the trace
	end    uint64 // in bytes from the stream's beginning
	isSeen bool   // a part of it was read
}

// openEnd is the end of a piece that is about to be written, and of the closing of a stream.
const openEnd = ^uint64(0)

// A descriptor has the streams that a file descriptor reads from and writes to, and the queue that
// it accepts connections from; nil means none.
type descriptor struct {
	reads, writes *stream
	accepts       *queue
}

var (
	descriptors = map[int]descriptor{}
	streams     = map[string]*stream{} // of which one end is known, by the addresses of both ends
)

// A queue is the connections to an address that were not accepted yet.
type queue struct {
	obj                 uint64
	connected, accepted uint64
	// isClosed says that its descriptor is closed. A copy of that may still accept, if nobody else
	// listens there.
	isClosed bool
}

// backlog is more than the number of connections that a queue can hold.
const backlog = 1 << 20

// queues are by address.
var queues = map[string]*queue{}

// PipeMade is called when the descriptors r and w are the ends of a new pipe.
func PipeMade(r, w int) {
	if Mode == 0 {
		return
	}
	runtime.PredictPin()
	s := &stream{isInternal: true, isPipe: true}
	descriptors[r], descriptors[w] = descriptor{reads: s}, descriptor{writes: s}
	runtime.PredictIsSilent = isSilent
	runtime.PredictUnpin()
}

// SocketConnected is called when fd is a socket with these addresses.
func SocketConnected(fd int, local, remote string) {
	runtime.PredictPin()
	descriptors[fd] = descriptor{reads: streamOf(remote, local), writes: streamOf(local, remote)}
	runtime.PredictIsSilent = isSilent
	runtime.PredictUnpin()
}

// streamOf returns the stream between two addresses. It is the one that the other end has made, if
// that is the program's.
func streamOf(from, to string) *stream {
	name := from + " " + to
	s := streams[name]
	if s == nil {
		s = new(stream)
		streams[name] = s
	} else if from != "" && to != "" { // otherwise other sockets may have none either
		delete(streams, name) // both ends are known, and ports are reused
		s.isInternal = true
	}
	return s
}

// InheritedByChild is called when another process gets fd, too.
func InheritedByChild(fd int) {
	if Mode == 0 {
		return
	}
	runtime.PredictPin()
	for _, s := range [...]*stream{descriptors[fd].reads, descriptors[fd].writes} {
		if s != nil {
			s.isInternal = false
		}
	}
	delete(descriptors, fd)
	runtime.PredictUnpin()
}

// BeforeClose logs that fd is about to be closed: then the other end has all that it will get.
func BeforeClose(fd int, pc uintptr) {
	if Mode == 0 {
		return
	}
	BeforeLastPiece(fd, pc)
	runtime.PredictPin()
	if q := descriptors[fd].accepts; q != nil {
		q.isClosed = true
	}
	delete(descriptors, fd)
	runtime.PredictUnpin()
}

// BeforeLastPiece logs that fd is about to have another piece, or its end.
func BeforeLastPiece(fd int, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	s := descriptors[fd].writes
	if s == nil {
		return
	}
	runtime.PredictPin()
	obj := newObject()
	runtime.PredictUnpin()
	logObject(KindPost, obj, pc)
	runtime.PredictPin()
	if len(s.pieces) == maxPieces {
		s.pieces = append(s.pieces[:0], s.pieces[maxPieces/2:]...)
	}
	s.pieces = append(s.pieces, piece{obj: obj, end: openEnd})
	runtime.PredictUnpin()
}

// endPiece sets the size of the last piece to n bytes, and drops it if n is not positive.
func (s *stream) endPiece(n int) {
	last := len(s.pieces) - 1
	if last < 0 || s.pieces[last].end != openEnd {
		return
	}
	if n <= 0 {
		s.pieces = s.pieces[:last]
		return
	}
	s.written += uint64(n)
	s.pieces[last].end = s.written
}

// take returns the numbers of the pieces that the next n bytes are from, or of the end of the
// stream. It leaves out those that it has returned before, because the number of reads for one
// write is random.
func (s *stream) take(n int) (objs []uint64) {
	from := s.read
	s.read += uint64(n)
	gone := 0
	for i := range s.pieces {
		c := &s.pieces[i]
		if n > 0 && from >= s.read {
			break
		}
		if !c.isSeen {
			objs = append(objs, c.obj)
		}
		c.isSeen = true
		if from = c.end; c.end <= s.read {
			gone = i + 1
		}
	}
	s.pieces = append(s.pieces[:0], s.pieces[gone:]...)
	return objs
}

// logObject logs an event of a stream, queue or file.
func logObject(kind uint8, obj uint64, pc uintptr) {
	if g, site := enterAt(kind, obj, pc); g != nil {
		g.log(kind, 0, site, 0, obj, 0)
	}
}

// device stands for all files and sockets whose other end is not known.
var device byte

// deviceObject returns the number that the trace has for these.
func deviceObject() uint64 { return uint64(uintptr(unsafe.Pointer(&device))) }

// AfterRead logs that n bytes of fd were read into p.
func AfterRead(fd int, p []byte, n int, ok bool, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	if n > 0 {
		noteFirstWrite(unsafe.Pointer(unsafe.SliceData(p))) // its initial value is gone
		accessSpan(KindWrite, unsafe.Pointer(unsafe.SliceData(p)), n, 1, current().accessSite(pc))
	}
	if !ok {
		return
	}
	s := descriptors[fd].reads
	if s == nil {
		logObject(KindAwait, deviceObject(), pc)
		return
	}
	if !s.isInternal {
		runtime.PredictRealWall()
	}
	runtime.PredictPin()
	objs := s.take(n)
	elsewhere := s.written == 0 && len(objs) == 0
	runtime.PredictUnpin()
	if elsewhere {
		logObject(KindAwait, deviceObject(), pc)
	}
	for _, obj := range objs {
		logObject(KindAwait, obj, pc)
	}
}

// BeforeWrite logs that p is about to be written to fd. The last event is that of the stream: once
// it has passed the gate, nothing else holds the bytes.
func BeforeWrite(fd int, p []byte, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	accessSpan(KindRead, unsafe.Pointer(unsafe.SliceData(p)), len(p), 1, current().accessSite(pc))
	logObject(KindPost, deviceObject(), pc)
	BeforeLastPiece(fd, pc)
}

// AfterWrite is called when n bytes were written to fd.
func AfterWrite(fd, n int) {
	if Mode == 0 || current() == nil {
		return
	}
	runtime.PredictPin()
	if s := descriptors[fd].writes; s != nil {
		s.endPiece(n)
	}
	runtime.PredictUnpin()
}

// closingObject returns the number that stands for the closing of a file, or for the setting of
// its deadline: an address in the file's poll descriptor.
func closingObject(pd unsafe.Pointer, deadline bool) uint64 {
	if deadline {
		return uint64(uintptr(pd)) + 1
	}
	return uint64(uintptr(pd))
}

// UsesFile logs that an operation is about to look whether a file is closed, which decides whether
// it fails. closes says that it closes the file, too. The lowest bit of state says that it is closed.
// The three files of the process stay open, and programs print a lot.
func UsesFile(pd unsafe.Pointer, fd int, state *uint64, closes bool, pc uintptr) {
	if Mode == 0 || fd >= 0 && fd <= 2 {
		return
	}
	kind := KindAtomicLoad
	if closes {
		kind = KindAtomicRMW
	}
	obj := closingObject(pd, false)
	g, site := enterAt(kind, obj, pc)
	if g == nil {
		return
	}
	flags, closed := flagValue, *state&1
	switch {
	case closes && closed != 0:
		flags |= flagFailed
	case closes:
		if mayBeFirstWrite(obj) {
			noteFirstWrite(pd)
			initialValuesLeft--
			g.log(kindInitialValue, 0, site, 0, 0, 0)
		}
		closed = 1
	}
	g.log(kind, flags, site, 1, obj, closed)
}

// BeforeFileEnd logs that a file is about to be closed, or to get a deadline, by which operations
// of others on it may fail.
func BeforeFileEnd(pd unsafe.Pointer, deadline bool, pc uintptr) {
	if Mode == 0 {
		return
	}
	if deadline { // of several the last one is valid, as of stores to an atomic variable
		logObject(KindAtomicStore, closingObject(pd, true), pc)
	}
	logObject(KindPost, closingObject(pd, deadline), pc)
}

// AfterFileEnd logs that an operation on a file has failed for that reason.
func AfterFileEnd(pd unsafe.Pointer, deadline bool, pc uintptr) {
	logObject(KindAwait, closingObject(pd, deadline), pc)
}

// SocketListens is called when the program listens at an address, by fd.
func SocketListens(fd int, address string) {
	runtime.PredictPin()
	q := &queue{obj: newObject()}
	queues[address], descriptors[fd] = q, descriptor{accepts: q}
	runtime.PredictIsSilent = isSilent
	runtime.PredictUnpin()
}

// BeforeConnect logs the request of a connection, at the first of the addresses at which the
// program listens.
func BeforeConnect(addresses []string, pc uintptr) {
	var q *queue
	for _, address := range addresses {
		// Ports are reused, also by listeners at all addresses of the machine.
		if its := queues[address]; its != nil && (q == nil || q.isClosed && !its.isClosed) {
			q = its
		}
	}
	if q == nil {
		runtime.PredictUseNetwork()
		return
	}
	q.logConnection(KindSend, KindSendDone, &q.connected, pc)
}

// logConnection logs the request of a connection, or its acceptance; n counts these.
func (q *queue) logConnection(begun, done uint8, n *uint64, pc uintptr) {
	if g, site := enterAt(begun, q.obj, pc); g != nil {
		makeRoom()
		*n++
		g.log(begun, 0, site, backlog, q.obj, 0)
		g.actor.pass(done, site, q.obj, 0, nil)
		g.log(done, 0, site, backlog, q.obj, *n)
	}
}

// isSilent is runtime.PredictIsSilent. It takes it that no other process connects to a listener of a
// test, unless the test has started one that still runs.
func isSilent(fd uintptr, writes bool) bool {
	switch d := descriptors[int(fd)]; {
	case writes:
		return d.writes != nil && d.writes.isInternal && d.writes.isPipe && d.writes.written > d.writes.read
	case d.reads != nil:
		return d.reads.isInternal && d.reads.read >= d.reads.written && len(d.reads.pieces) == 0
	case d.accepts != nil:
		return d.accepts.accepted == d.accepts.connected && runtime.PredictChildless()
	}
	return false
}

// ConnectionAccepted logs that a connection was accepted.
func ConnectionAccepted(address string, pc uintptr) {
	if q := queues[address]; q != nil && q.accepted != q.connected {
		q.logConnection(KindRecv, KindRecvDone, &q.accepted, pc)
	}
}
