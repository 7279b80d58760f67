package predictrt

// This file writes the definitions of a trace: the names that events refer to by number. They come
// before the events of their chunk.

// definitions is a chunk of definitions. The bytes from committed up to end belong to a definition
// that is not complete, and are not written if the process is killed now.
type definitions struct {
	committed, end int
	data           [definitionBytes]byte
}

// startDefinition returns the current chunk of one sort of definitions. It has room for a
// definition with strings of the given length together and 32 other bytes.
func startDefinition(kind, strings int) *definitions {
	if currentSlot().definitions[kind].committed+strings+32 > definitionBytes {
		flush()
	}
	d := &currentSlot().definitions[kind]
	d.end = d.committed
	return d
}

// commit completes a definition.
func (d *definitions) commit() { d.committed = d.end }

// u16 appends a number in two bytes, little-endian.
func (d *definitions) u16(x int) {
	d.data[d.end], d.data[d.end+1] = byte(x), byte(x>>8)
	d.end += 2
}

// u32 appends a number in four bytes.
func (d *definitions) u32(x uint32) {
	d.u16(int(x & 0xffff))
	d.u16(int(x >> 16))
}

// u64 appends a number in eight bytes.
func (d *definitions) u64(x uint64) {
	d.u32(uint32(x))
	d.u32(uint32(x >> 32))
}

// str appends a string after its length.
func (d *definitions) str(s string) {
	d.u16(len(s))
	d.text(s)
}

// text appends s without its length.
func (d *definitions) text(s string) { d.end += copy(d.data[d.end:], s) }

// clip shortens a name so that a definition fits into its chunk.
func clip(s string) string {
	if len(s) > maxName {
		return s[:maxName]
	}
	return s
}
