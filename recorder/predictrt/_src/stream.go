package predictrt

import (
	"runtime"
	"unsafe"
)

// What goroutines of one process tell each other through the kernel: by pipes and
// sockets whose both ends are the program's own. Bytes that are read were written to
// the other end before, and the n-th connection that is accepted is the n-th that
// was asked for. All that is read from elsewhere may be what was written anywhere.

// objects is how many streams and queues there are. Their numbers are no addresses.
var streamObjects uint64

// newObject returns the number of a new stream, queue or the like, which is no address.
func newObject() uint64 {
	const base = 1 << 62
	streamObjects++
	return base + streamObjects
}

// A stream is the bytes that go one way, in pieces as they were written.
type stream struct {
	// that have not been read, in their order
	pieces  []piece
	written uint64 // bytes
	read    uint64
	// both ends are the program's, and no other process has them
	isInternal bool
}

// A piece is what one write puts into a stream. Its end counts bytes from the
// stream's beginning.
type piece struct {
	obj uint64
	end uint64
	// a part of it has been read
	isSeen bool
}

// unwritten is the end of a piece that is about to be written, and of what closes
// a stream.
const openEnd = ^uint64(0)

// ends are the streams that a descriptor reads from and writes to, and the queue that it
// accepts from; nil: none.
type descriptor struct {
	reads, writes *stream
	accepts       *queue
}

var (
	descriptors = map[int]descriptor{}
	// by their addresses, of sockets of which one end is known
	streams = map[string]*stream{}
)

// A queue is the connections to an address that have not been accepted.
type queue struct {
	obj                 uint64
	connected, accepted uint64
	// by its descriptor; a copy of that may accept on, if no other one listens there
	isClosed bool
}

// backlog is more than a queue can hold.
const backlog = 1 << 20

var queues = map[string]*queue{}

// Piped says that w is the other end of r.
func PipeMade(r, w int) {
	if Mode == 0 {
		return
	}
	runtime.PredictPin()
	s := &stream{isInternal: true}
	descriptors[r], descriptors[w] = descriptor{reads: s}, descriptor{writes: s}
	runtime.PredictSilent = isSilent
	runtime.PredictUnpin()
}

// Connected says that fd is a socket with these addresses.
func SocketConnected(fd int, local, remote string) {
	runtime.PredictPin()
	descriptors[fd] = descriptor{reads: streamOf(remote, local), writes: streamOf(local, remote)}
	runtime.PredictSilent = isSilent
	runtime.PredictUnpin()
}

// streamOf returns the stream between two addresses: that which the other end has made,
// if it is the program's.
func streamOf(from, to string) *stream {
	name := from + " " + to
	s := streams[name]
	if s == nil {
		s = new(stream)
		streams[name] = s
	} else if from != "" && to != "" { // else other sockets may have no address either
		delete(streams, name) // both ends are known, and ports are used again
		s.isInternal = true
	}
	return s
}

// Inherited says that another process gets fd too.
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

// Closes logs that fd is about to be closed, after which the other end has all
// that it will get.
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

// Ends logs that what comes next on fd is a piece, or nothing more.
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

// wrote says that the piece that was announced last has n bytes.
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

// take returns the pieces that the next n bytes are from, or the end of the stream
// if there are none, but for those that it has returned before: how many reads there
// are for one write is chance.
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

// logObject logs an event about a stream, queue or file.
func logObject(kind uint8, obj uint64, pc uintptr) {
	if g, site := enterAt(kind, obj, pc); g != nil {
		g.log(kind, 0, site, 0, obj, 0)
	}
}

// device is what all files and sockets are to the program of which it does not
// know the other end.
var device byte

// deviceObject is what stands for all of these.
func deviceObject() uint64 { return uint64(uintptr(unsafe.Pointer(&device))) }

// HasRead logs that n bytes of a file have been read into p.
func AfterRead(fd int, p []byte, n int, ok bool, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	if n > 0 {
		noteFirstWrite(unsafe.Pointer(unsafe.SliceData(p))) // what was there is gone
		accessSpan(KindWrite, unsafe.Pointer(unsafe.SliceData(p)), n, 1, siteOf(pc))
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

// Writes logs that p is about to be written to a file. The last event is that of the
// stream: once a replay has let that pass, nothing holds the bytes back.
func BeforeWrite(fd int, p []byte, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	accessSpan(KindRead, unsafe.Pointer(unsafe.SliceData(p)), len(p), 1, siteOf(pc))
	logObject(KindPost, deviceObject(), pc)
	BeforeLastPiece(fd, pc)
}

// Wrote says that n bytes have been written to fd after all.
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

// haltsOf is what stands for the closing of a file, or for the setting of its deadlines: an address
// in what its goroutines wait by.
func closingObject(pd unsafe.Pointer, deadline bool) uint64 {
	if deadline {
		return uint64(uintptr(pd)) + 1
	}
	return uint64(uintptr(pd))
}

// Halts logs that a file is about to be closed, or to get a deadline, which ends what others do with
// it.
func BeforeFileEnd(pd unsafe.Pointer, deadline bool, pc uintptr) {
	logObject(KindPost, closingObject(pd, deadline), pc)
}

// Halted logs that an operation on a file has failed for that.
func AfterFileEnd(pd unsafe.Pointer, deadline bool, pc uintptr) {
	logObject(KindAwait, closingObject(pd, deadline), pc)
}

// Listens says that the program accepts connections at an address, by fd.
func SocketListens(fd int, address string) {
	runtime.PredictPin()
	q := &queue{obj: newObject()}
	queues[address], descriptors[fd] = q, descriptor{accepts: q}
	runtime.PredictSilent = isSilent
	runtime.PredictUnpin()
}

// Connects logs that a connection is about to be asked for, at the first of the
// addresses at which the program listens.
func BeforeConnect(addresses []string, pc uintptr) {
	var q *queue
	for _, address := range addresses {
		// Ports are used again, by who listens at all addresses of the machine, too.
		if its := queues[address]; its != nil && (q == nil || q.isClosed && !its.isClosed) {
			q = its
		}
	}
	if q != nil {
		q.logConnection(KindSend, KindSendDone, &q.connected, pc)
	}
}

// logConnection logs the beginning and the end of asking for a connection, or of accepting one, of which there
// have been n.
func (q *queue) logConnection(begun, done uint8, n *uint64, pc uintptr) {
	if g, site := enterAt(begun, q.obj, pc); g != nil {
		makeRoom()
		*n++
		g.log(begun, 0, site, backlog, q.obj, 0)
		g.actor.pass(done, site, q.obj, 0, nil)
		g.log(done, 0, site, backlog, q.obj, *n)
	}
}

// silent is runtime.PredictSilent. Of a listener it is taken that tests have none listen for
// another process, unless they have started one.
func isSilent(fd uintptr) bool {
	switch d := descriptors[int(fd)]; {
	case d.reads != nil:
		return d.reads.isInternal && d.reads.read >= d.reads.written && len(d.reads.pieces) == 0
	case d.accepts != nil:
		return d.accepts.accepted == d.accepts.connected && runtime.PredictChildless()
	}
	return false
}

// Accepted logs that a connection has been accepted.
func ConnectionAccepted(address string, pc uintptr) {
	if q := queues[address]; q != nil && q.accepted != q.connected {
		q.logConnection(KindRecv, KindRecvDone, &q.accepted, pc)
	}
}
