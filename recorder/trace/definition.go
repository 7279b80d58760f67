package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// This file lists the fields of each kind of definition once, in the order of the file. The reader
// fills what the pointers point to, and the writer takes it from there.

func (g *Goroutine) fields() []any { return []any{&g.ID, &g.Parent, &g.Site, &g.Test, &g.Path} }

func (s *Site) callSiteFields() []any { return []any{&s.ID, &s.Key, &s.Line, &s.Func, &s.File} }

// rewrittenFields lists the fields of a site that the rewriter made, except those that only some have.
func (s *Site) rewrittenFields(flags *uint8) []any {
	return []any{&s.ID, &s.Key, &s.Line, &s.Col, flags, &s.Func, &s.File, &s.Op, &s.Expr}
}

func (s *Site) scopeFields(flags *uint8) []any { return []any{&s.ID, &s.Scope.LastLine, flags} }

// A flag is a bit of a byte of flags, and the field that it stands for.
type flag struct {
	bit   uint8
	field *bool
}

// The flags of a site that stand for fields of other types than bool.
const (
	siteFailsIfFalse = 1 << 3
	siteFailsIfTrue  = 1 << 4
	siteHasFormula   = 1 << 5
	siteHasType      = 1 << 6
)

func (s *Site) flags() []flag {
	return []flag{{1 << 0, &s.OnlyStored}, {1 << 1, &s.IsUpdate}, {1 << 2, &s.OnlyInFormulas}, {1 << 7, &s.FailureEndsGoroutine}}
}

func (s *Scope) flags() []flag {
	return []flag{{1 << 0, &s.HarmlessIfTrue}, {1 << 1, &s.HarmlessIfFalse}, {1 << 2, &s.HasCalls}}
}

// packFlags returns the byte of flags for some fields.
func packFlags(flags []flag) (packed uint8) {
	for _, f := range flags {
		if *f.field {
			packed |= f.bit
		}
	}
	return packed
}

// unpackFlags sets the fields that a byte of flags stands for.
func unpackFlags(packed uint8, flags []flag) {
	for _, f := range flags {
		*f.field = packed&f.bit != 0
	}
}

// fields takes numbers and strings off the front of a chunk's payload. After the first failure all
// further reads give zeros.
type fields struct {
	payload []byte
	offset  int64 // of the payload in the file
	err     error
}

func (f *fields) fail(expected, found string) { f.failAt(f.offset, expected, found) }

func (f *fields) failAt(offset int64, expected, found string) {
	if f.err == nil {
		f.err = &FormatError{Offset: offset, Expected: expected, Found: found}
	}
}

func (f *fields) skip(n int) {
	f.payload = f.payload[n:]
	f.offset += int64(n)
}

func (f *fields) take(n int, what string) []byte {
	if f.err == nil && len(f.payload) < n {
		f.fail(fmt.Sprintf("%s of %d bytes", what, n), fmt.Sprintf("the chunk's end after %d", len(f.payload)))
	}
	if f.err != nil {
		return make([]byte, n)
	}
	b := f.payload[:n]
	f.skip(n)
	return b
}

// read reads the fields that the pointers point to, in this order. An int is a line or column.
func (f *fields) read(pointers ...any) {
	for _, p := range pointers {
		switch v := reflect.ValueOf(p).Elem(); v.Kind() {
		case reflect.String:
			n := binary.LittleEndian.Uint16(f.take(2, "a string's length"))
			v.SetString(string(f.take(int(n), "a string")))
		case reflect.Uint8:
			v.SetUint(uint64(f.take(1, "a number")[0]))
		case reflect.Uint64:
			v.SetUint(binary.LittleEndian.Uint64(f.take(8, "a number")))
		case reflect.Uint32:
			v.SetUint(uint64(binary.LittleEndian.Uint32(f.take(4, "a number"))))
		case reflect.Int:
			v.SetInt(int64(binary.LittleEndian.Uint32(f.take(4, "a number"))))
		}
	}
}

// write writes the fields that the pointers point to, in the order in which [fields.read] reads them.
func (c *chunkWriter) write(pointers ...any) {
	for _, p := range pointers {
		switch v := reflect.ValueOf(p).Elem(); v.Kind() {
		case reflect.String:
			if v.Len() > math.MaxUint16 {
				c.fail(fmt.Sprintf("a string of up to %d bytes", math.MaxUint16), fmt.Sprintf("%d: %.40q…", v.Len(), v.String()))
				return
			}
			c.payload = binary.LittleEndian.AppendUint16(c.payload, uint16(v.Len()))
			c.payload = append(c.payload, v.String()...)
		case reflect.Uint8:
			c.payload = append(c.payload, uint8(v.Uint()))
		case reflect.Uint64:
			c.payload = binary.LittleEndian.AppendUint64(c.payload, v.Uint())
		case reflect.Uint32:
			c.payload = binary.LittleEndian.AppendUint32(c.payload, uint32(v.Uint()))
		case reflect.Int:
			if v.Int() < 0 || v.Int() > math.MaxUint32 {
				c.fail("a line or column of 32 bits", fmt.Sprint(v.Int()))
			}
			c.payload = binary.LittleEndian.AppendUint32(c.payload, uint32(v.Int()))
		}
	}
}

// maxGap is how far the number of a definition may lie beyond the number of
// definitions so far. The run-time library defines goroutines and names in
// order, except those that several goroutines define at the same time. The
// limit keeps damaged numbers from claiming memory.
const maxGap = 1 << 16

func (d *Reader) decodeGoroutine(f *fields) {
	offset := f.offset
	var g Goroutine
	f.read(g.fields()...)
	if g.Path == "" {
		f.failAt(offset, "a goroutine with a path", "none")
	}
	if limit := d.goroutines + maxGap; uint64(g.ID) >= uint64(limit) {
		f.failAt(offset, fmt.Sprintf("a goroutine id below %d", limit), fmt.Sprint(g.ID))
	}
	if f.err != nil {
		return
	}
	if !d.t.defined(uint64(g.ID)) {
		d.goroutines++
	}
	for n := len(d.t.Goroutines); n <= int(g.ID); n++ {
		d.t.Goroutines = append(d.t.Goroutines, Goroutine{ID: GID(n), Parent: GID(n)})
	}
	g.Test = d.shared(g.Test)
	d.t.Goroutines[g.ID] = g
}

// shared returns the one copy of the name of a test: a trace may have a million goroutines.
func (d *Reader) shared(test string) string {
	if known, ok := d.tests[test]; ok {
		return known
	}
	d.tests[test] = test
	return test
}

func (d *Reader) decodeCallSite(f *fields) {
	var s Site
	if f.read(s.callSiteFields()...); f.err == nil {
		d.t.Sites[s.ID] = s
	}
}

func (d *Reader) decodeName(f *fields) {
	offset := f.offset
	var id uint32
	var name string
	f.read(&id, &name)
	if limit := d.names + maxGap; uint64(id) >= uint64(limit) {
		f.failAt(offset, fmt.Sprintf("a test name's number below %d", limit), fmt.Sprint(id))
	}
	if f.err != nil {
		return
	}
	d.names++
	for n := len(d.t.TestNames); n <= int(id); n++ {
		d.t.TestNames = append(d.t.TestNames, "")
	}
	d.t.TestNames[id] = name
}

func (d *Reader) decodeScope(f *fields) {
	offset := f.offset
	var read Site // with nothing but ID and scope
	var flags uint8
	f.read(read.scopeFields(&flags)...)
	unpackFlags(flags, read.Scope.flags())
	s, ok := d.t.Sites[read.ID]
	if f.err == nil && !ok {
		f.failAt(offset, "a defined site", fmt.Sprintf("site %#x", read.ID))
	}
	if f.err == nil {
		s.Scope = read.Scope
		d.t.Sites[s.ID] = s
	}
}

func (d *Reader) decodeSite(f *fields) {
	var s Site
	var flags uint8
	f.read(s.rewrittenFields(&flags)...)
	unpackFlags(flags, s.flags())
	switch {
	case flags&siteFailsIfTrue != 0:
		s.FailsIf = IfTrue
	case flags&siteFailsIfFalse != 0:
		s.FailsIf = IfFalse
	}
	if flags&siteHasFormula != 0 {
		f.read(&s.Formula)
	}
	if flags&siteHasType != 0 {
		if f.read(&s.Type); s.Type >= numTypes { // of a newer version
			s.Type = TypeUnknown
		}
	}
	if f.err == nil {
		d.t.Sites[s.ID] = s
	}
}

// rewrittenSite writes a site that the rewriter made.
func (c *chunkWriter) rewrittenSite(s Site) {
	c.begin(siteChunk)
	flags := packFlags(s.flags())
	switch s.FailsIf {
	case IfFalse:
		flags |= siteFailsIfFalse
	case IfTrue:
		flags |= siteFailsIfTrue
	}
	if s.Formula != "" {
		flags |= siteHasFormula
	}
	if s.Type != TypeUnknown {
		flags |= siteHasType
	}
	c.write(s.rewrittenFields(&flags)...)
	if s.Formula != "" {
		c.write(&s.Formula)
	}
	if s.Type != TypeUnknown {
		c.write(&s.Type)
	}
}

// scope writes the control scope of a site, if it has one.
func (c *chunkWriter) scope(s Site) {
	if s.Scope == (Scope{}) {
		return
	}
	c.begin(scopeChunk)
	flags := packFlags(s.Scope.flags())
	c.write(s.scopeFields(&flags)...)
}
