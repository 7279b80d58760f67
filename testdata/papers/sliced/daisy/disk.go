package daisy

import "sync"

// A Mutex is a lock that the file system makes itself (Figure 13).
type Mutex struct {
	mu     sync.Mutex
	freed  sync.Cond
	locked bool // guarded by mu
}

func (m *Mutex) acquire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.locked {
		m.freed.Wait()
	}
	m.locked = true
}

func (m *Mutex) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locked = false
	m.freed.Signal()
}

// newMutexes returns n locks that nobody holds.
func newMutexes(n int) []Mutex {
	all := make([]Mutex, n)
	for k := range all {
		all[k].freed.L = &all[k].mu
	}
	return all
}

// A file has bytes, and one position for all who read and write.
type file interface {
	seek(pos int)
	readByte() byte
	writeByte(b byte)
}

// A pseudoFile is one in memory: that of Daisy-2.
type pseudoFile struct {
	data []byte
	pos  int
}

func (f *pseudoFile) seek(pos int) { f.pos = pos }

func (f *pseudoFile) readByte() byte {
	b := f.data[f.pos]
	f.pos++
	return b
}

func (f *pseudoFile) writeByte(b byte) {
	f.data[f.pos] = b
	f.pos++
}

// A randomAccessFile is one of which nothing is seen but that its methods are called: each
// counts as a write of it, as in the paper. What it holds is guarded for itself.
type randomAccessFile struct {
	changed int
	mu      sync.Mutex
	own     pseudoFile
}

func (f *randomAccessFile) seek(pos int) {
	f.changed++
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own.seek(pos)
}

func (f *randomAccessFile) readByte() byte {
	f.changed++
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.own.readByte()
}

func (f *randomAccessFile) writeByte(b byte) {
	f.changed++
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own.writeByte(b)
}

// A Disk is blocks of a file, each with a lock, which who uses it holds.
type Disk struct {
	file   file
	blocks []Mutex
}

// write writes bytes of a block.
func (d *Disk) write(block, at int, bytes ...byte) {
	d.file.seek(block*blockSize + at)
	for _, b := range bytes {
		d.file.writeByte(b)
	}
}

// read reads n bytes of a block.
func (d *Disk) read(block, at, n int) []byte {
	bytes := make([]byte, n)
	d.file.seek(block*blockSize + at)
	for k := range bytes {
		bytes[k] = d.file.readByte()
	}
	return bytes
}
