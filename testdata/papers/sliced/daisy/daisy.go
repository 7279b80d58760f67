// Package daisy is the Daisy file system, which Chen and Roşu measure, in small: inodes and
// blocks on a disk, each with a lock of its own, a map of the blocks that are free, and
// directories of files.
package daisy

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	blockSize = 16
	// An inode is a block: its kind, its size, and the blocks of what it has.
	inodes    = 24
	data      = 96
	maxBlocks = blockSize - 2
	// An entry of a directory is a name and an inode.
	nameSize  = 3
	entrySize = nameSize + 1
)

// Kinds of inodes.
const (
	free byte = iota
	regular
	directory
)

// root is the inode of the only directory there is at first.
const root = 0

// What may be wrong.
var (
	ErrExists   = errors.New("expected a name that is free, found it taken")
	ErrNotExist = errors.New("expected a file, found none")
	ErrFull     = errors.New("expected room, found none")
	ErrKind     = errors.New("expected an inode of another kind")
)

// A FS is a file system.
type FS struct {
	disk  Disk
	locks []Mutex // of inodes

	allocating Mutex
	used       [data]bool // guarded by allocating
}

func newFS(f file) *FS {
	fs := &FS{disk: Disk{f, newMutexes(inodes + data)}, locks: newMutexes(inodes)}
	fs.allocating.freed.L = &fs.allocating.mu
	fs.locks[root].acquire()
	defer fs.locks[root].release()
	fs.setInode(root, inode{kind: directory})
	return fs
}

// New returns an empty file system in a file of which the methods alone are seen: Daisy.
func New() *FS {
	return newFS(&randomAccessFile{own: pseudoFile{data: make([]byte, (inodes+data)*blockSize)}})
}

// NewInMemory returns an empty file system in memory: Daisy-2.
func NewInMemory() *FS {
	return newFS(&pseudoFile{data: make([]byte, (inodes+data)*blockSize)})
}

// An inode is what is known of a file or directory.
type inode struct {
	kind   byte
	size   int // in bytes
	blocks []byte
}

// inode reads an inode, whose lock is held.
func (fs *FS) inode(n int) inode {
	fs.disk.blocks[n].acquire()
	defer fs.disk.blocks[n].release()
	head := fs.disk.read(n, 0, 2)
	i := inode{kind: head[0], size: int(head[1])}
	if count := (i.size + blockSize - 1) / blockSize; count > 0 {
		i.blocks = fs.disk.read(n, 2, count)
	}
	return i
}

// setInode writes an inode, whose lock is held.
func (fs *FS) setInode(n int, i inode) {
	fs.disk.blocks[n].acquire()
	defer fs.disk.blocks[n].release()
	fs.disk.write(n, 0, append([]byte{i.kind, byte(i.size)}, i.blocks...)...)
}

// allocate returns a block that was free.
func (fs *FS) allocate() (byte, error) {
	fs.allocating.acquire()
	defer fs.allocating.release()
	for k := range fs.used {
		if !fs.used[k] {
			fs.used[k] = true
			return byte(k), nil
		}
	}
	return 0, ErrFull
}

// discard makes blocks free.
func (fs *FS) discard(blocks []byte) {
	fs.allocating.acquire()
	defer fs.allocating.release()
	for _, b := range blocks {
		fs.used[b] = false
	}
}

// readAt reads n bytes of an inode, whose lock is held.
func (fs *FS) readAt(i inode, at, n int) []byte {
	var out []byte
	for n > 0 {
		from := at % blockSize
		more := min(n, blockSize-from)
		out = append(out, fs.readBlock(inodes+int(i.blocks[at/blockSize]), from, more)...)
		at, n = at+more, n-more
	}
	return out
}

func (fs *FS) readBlock(block, at, n int) []byte {
	fs.disk.blocks[block].acquire()
	defer fs.disk.blocks[block].release()
	return fs.disk.read(block, at, n)
}

// writeAt writes bytes of an inode, whose lock is held, and returns what it is then.
func (fs *FS) writeAt(i inode, at int, b []byte) (inode, error) {
	for len(b) > 0 {
		for at/blockSize >= len(i.blocks) {
			if len(i.blocks) == maxBlocks {
				return i, ErrFull
			}
			block, err := fs.allocate()
			if err != nil {
				return i, err
			}
			i.blocks = append(i.blocks, block)
		}
		from := at % blockSize
		more := min(len(b), blockSize-from)
		fs.writeBlock(inodes+int(i.blocks[at/blockSize]), from, b[:more])
		at, b = at+more, b[more:]
		i.size = max(i.size, at)
	}
	return i, nil
}

func (fs *FS) writeBlock(block, at int, b []byte) {
	fs.disk.blocks[block].acquire()
	defer fs.disk.blocks[block].release()
	fs.disk.write(block, at, b...)
}

// entries returns the names of a directory, whose lock is held, and their inodes.
func (fs *FS) entries(dir inode) (names []string, at []int) {
	all := fs.readAt(dir, 0, dir.size)
	for k := 0; k < len(all); k += entrySize {
		names = append(names, string(bytes.TrimRight(all[k:k+nameSize], "\x00")))
		at = append(at, int(all[k+nameSize]))
	}
	return names, at
}

// find returns the inode of a name of a directory, whose lock is held, and the entry's number.
func (fs *FS) find(dir inode, name string) (n, entry int, ok bool) {
	names, at := fs.entries(dir)
	for k := range names {
		if names[k] == name && at[k] != root {
			return at[k], k, true
		}
	}
	return 0, 0, false
}

// Create makes an empty file in the directory dir and returns its inode.
func (fs *FS) Create(dir int, name string) (int, error) { return fs.make(dir, name, regular) }

// Mkdir makes an empty directory.
func (fs *FS) Mkdir(dir int, name string) (int, error) { return fs.make(dir, name, directory) }

func (fs *FS) make(dir int, name string, kind byte) (int, error) {
	if len(name) == 0 || len(name) > nameSize {
		return 0, fmt.Errorf("expected a name of at most %d bytes, found %q", nameSize, name)
	}
	fs.locks[dir].acquire()
	defer fs.locks[dir].release()
	d := fs.inode(dir)
	if d.kind != directory {
		return 0, ErrKind
	}
	if _, _, ok := fs.find(d, name); ok {
		return 0, ErrExists
	}
	n, err := fs.claim(kind)
	if err != nil {
		return 0, err
	}
	entry := make([]byte, entrySize)
	copy(entry, name)
	entry[nameSize] = byte(n)
	d, err = fs.writeAt(d, d.size, entry)
	fs.setInode(dir, d)
	return n, err
}

// claim makes a free inode one of a kind.
func (fs *FS) claim(kind byte) (int, error) {
	for n := root + 1; n < inodes; n++ {
		if fs.claimOne(n, kind) {
			return n, nil
		}
	}
	return 0, ErrFull
}

func (fs *FS) claimOne(n int, kind byte) bool {
	fs.locks[n].acquire()
	defer fs.locks[n].release()
	if fs.inode(n).kind != free {
		return false
	}
	fs.setInode(n, inode{kind: kind})
	return true
}

// Lookup returns the inode of a name of the directory dir.
func (fs *FS) Lookup(dir int, name string) (int, error) {
	fs.locks[dir].acquire()
	defer fs.locks[dir].release()
	d := fs.inode(dir)
	if d.kind != directory {
		return 0, ErrKind
	}
	n, _, ok := fs.find(d, name)
	if !ok {
		return 0, ErrNotExist
	}
	return n, nil
}

// Unlink takes a file out of the directory dir.
func (fs *FS) Unlink(dir int, name string) error {
	fs.locks[dir].acquire()
	defer fs.locks[dir].release()
	d := fs.inode(dir)
	n, entry, ok := fs.find(d, name)
	if !ok {
		return ErrNotExist
	}
	if _, err := fs.writeAt(d, entry*entrySize, make([]byte, entrySize)); err != nil {
		return err
	}
	fs.locks[n].acquire()
	defer fs.locks[n].release()
	fs.discard(fs.inode(n).blocks)
	fs.setInode(n, inode{kind: free})
	return nil
}

// Write writes bytes of a file.
func (fs *FS) Write(n, at int, b []byte) error {
	fs.locks[n].acquire()
	defer fs.locks[n].release()
	i := fs.inode(n)
	if i.kind != regular {
		return ErrKind
	}
	i, err := fs.writeAt(i, at, b)
	fs.setInode(n, i)
	return err
}

// Read reads bytes of a file.
func (fs *FS) Read(n, at, size int) ([]byte, error) {
	fs.locks[n].acquire()
	defer fs.locks[n].release()
	i := fs.inode(n)
	if i.kind != regular {
		return nil, ErrKind
	}
	return fs.readAt(i, at, max(0, min(size, i.size-at))), nil
}

// Size is that of a file or directory.
func (fs *FS) Size(n int) int {
	fs.locks[n].acquire()
	defer fs.locks[n].release()
	return fs.inode(n).size
}
