package predictrt

import (
	"runtime"
	"unsafe"
)

// event is one record of an 'E' chunk.
type event struct {
	kind, flags uint8
	_           uint16
	g           uint32
	site, size  uint32
	obj, val    uint64
}

const (
	bufEvents = 2048
	// roomEvents is what one hook may log without looking again.
	roomEvents = 4
	bufDefs    = 32 << 10
)

// The trace is buffered in static memory, so that it can be written out on
// any stack and in any state of the program.
var (
	traceFD   = -1
	recording bool
	events    [bufEvents]event
	numEvents int
	goDefs    defs
	siteDefs  defs
	nameDefs  defs
)

// defs collects definitions until the next chunk of events is written.
type defs struct {
	n    int
	data [bufDefs]byte
}

// startTrace opens the file that path names; it ends with a zero byte.
func startTrace(path string) bool {
	traceFD = runtime.PredictFile(path)
	if traceFD < 0 {
		return false
	}
	recording = true
	magic := "GPTRACE1"
	rawWrite(traceFD, unsafe.Pointer(unsafe.StringData(magic)), len(magic))
	meta := "go " + runtime.Version() + "\ndir " + runtime.PredictGetenv("PWD") + "\nbinary " + base(runtime.PredictArg0()) + "\n"
	chunk('M', unsafe.Pointer(unsafe.StringData(meta)), len(meta))
	return true
}

func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' || path[i] == '\\' {
			return path[i+1:]
		}
	}
	return path
}

// rawWrite gives up recording when the disk is full or the like.
func rawWrite(fd int, p unsafe.Pointer, n int) {
	if !runtime.PredictWrite(fd, p, n) && fd == traceFD {
		recording = false
	}
}

// chunk writes n bytes at p as one chunk.
func chunk(kind byte, p unsafe.Pointer, n int) {
	var head struct {
		kind byte
		_    [3]byte
		n    uint32
		sum  uint64
	}
	head.kind, head.n, head.sum = kind, uint32(n), checksum(p, n)
	rawWrite(traceFD, unsafe.Pointer(&head), int(unsafe.Sizeof(head)))
	rawWrite(traceFD, p, n)
}

// checksum is FNV-1a over little-endian words, the last one padded by zeros.
func checksum(p unsafe.Pointer, n int) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < n; i += 8 {
		var w uint64
		if n-i >= 8 {
			w = *(*uint64)(unsafe.Add(p, i))
		} else {
			for j := i; j < n; j++ {
				w |= uint64(*(*byte)(unsafe.Add(p, j))) << (8 * (j - i))
			}
		}
		h = (h ^ w) * 1099511628211
	}
	return h
}

// flush writes out what is buffered: definitions first.
func flush() {
	runtime.PredictPin()
	flushDefs()
	if numEvents > 0 {
		n := numEvents
		numEvents = 0
		chunk('E', unsafe.Pointer(&events), n*int(unsafe.Sizeof(event{})))
	}
	runtime.PredictUnpin()
}

func flushDefs() {
	nameDefs.flush('N')
	siteDefs.flush('S')
	goDefs.flush('G')
}

func (d *defs) flush(kind byte) {
	if d.n > 0 {
		n := d.n
		d.n = 0
		chunk(kind, unsafe.Pointer(&d.data), n)
	}
}

// room makes place for a definition with the given strings and 32 other bytes.
func (d *defs) room(strings int) {
	if d.n+strings+32 > bufDefs {
		flushDefs()
	}
}

func (d *defs) u16(x int) {
	d.data[d.n], d.data[d.n+1] = byte(x), byte(x>>8)
	d.n += 2
}

func (d *defs) u32(x uint32) {
	d.u16(int(x & 0xffff))
	d.u16(int(x >> 16))
}

func (d *defs) u64(x uint64) {
	d.u32(uint32(x))
	d.u32(uint32(x >> 32))
}

func (d *defs) str(s string) {
	d.u16(len(s))
	d.n += copy(d.data[d.n:], s)
}

// clip bounds a name so that a definition fits into its buffer.
func clip(s string) string {
	if len(s) > 4096 {
		return s[:4096]
	}
	return s
}

// finish is called at the end of the process.
func finish(orderly bool) {
	if recording {
		flush()
		if orderly {
			chunk('X', nil, 0)
			recording = false
		}
	}
	finishVerdict(orderly)
}

// log appends an event. enter has made room for it.
//
//go:nosplit
func (g *goroutine) log(kind, flags uint8, site, size uint32, obj, val uint64) {
	if !recording {
		return
	}
	e := &events[numEvents&(bufEvents-1)]
	numEvents++
	e.kind, e.flags, e.g, e.site, e.size, e.obj, e.val = kind, flags, g.id, site, size, obj, val
}
