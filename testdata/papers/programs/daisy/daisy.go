// Package daisy is the part of the Daisy file system that Chen and Roşu show: a
// lock for each block, of a flag and a condition, and a disk with one position
// for all who read and write.
package daisy

import "sync"

// A Mutex is a lock that the file system makes itself.
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

// A Disk is a file of bytes.
type Disk struct {
	data []byte
	pos  int
}

func (d *Disk) seek(pos int) {
	d.pos = pos
}

func (d *Disk) write(b byte) {
	d.data[d.pos] = b
}

func (d *Disk) read() byte {
	return d.data[d.pos]
}

// A FS keeps blocks on a disk.
type FS struct {
	disk  Disk
	size  int // of blocks
	locks []Mutex
}

// New returns a file system of some blocks.
func New(blocks, size int) *FS {
	fs := &FS{Disk{data: make([]byte, blocks*size)}, size, make([]Mutex, blocks)}
	for k := range fs.locks {
		fs.locks[k].freed.L = &fs.locks[k].mu
	}
	return fs
}

// Write writes one byte of a block.
func (fs *FS) Write(block, at int, b byte) {
	fs.locks[block].acquire()
	fs.disk.seek(block*fs.size + at)
	fs.disk.write(b)
	fs.locks[block].release()
}

// Read reads one byte of a block.
func (fs *FS) Read(block, at int) byte {
	fs.locks[block].acquire()
	defer fs.locks[block].release()
	fs.disk.seek(block*fs.size + at)
	return fs.disk.read()
}
