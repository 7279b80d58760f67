package predictrt

const bufDefs = 32 << 10

// defs is a chunk of definitions.
type defs struct {
	n    int
	data [bufDefs]byte
}

// define returns the current definitions of one kind, with room for one that
// has strings of the given length and 32 other bytes.
func define(kind, strings int) *defs {
	if d := &slotNow().defs[kind]; d.n+strings+32 <= bufDefs {
		return d
	}
	flush()
	return &slotNow().defs[kind]
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
