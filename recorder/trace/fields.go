package trace

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// maxGap is how far the number of a definition may lie beyond the number of
// definitions so far. The run-time library defines goroutines and names in
// order, but for those that are underway in several goroutines at once; the
// limit keeps damaged numbers from claiming memory.
const maxGap = 1 << 16

// fields takes numbers and strings off the front of a chunk's payload. After
// the first failure all further reads give zeros.
type fields struct {
	p    []byte
	base int64 // place of p[0] in the file
	err  error
}

func (f *fields) fail(expected, found string) { f.failAt(f.base, expected, found) }

func (f *fields) failAt(offset int64, expected, found string) {
	if f.err == nil {
		f.err = &FormatError{Offset: offset, Expected: expected, Found: found}
	}
}

func (f *fields) skip(n int) {
	f.p = f.p[n:]
	f.base += int64(n)
}

func (f *fields) take(n int, what string) []byte {
	if f.err == nil && len(f.p) < n {
		f.fail(fmt.Sprintf("%s of %d bytes", what, n), fmt.Sprintf("the chunk's end after %d", len(f.p)))
	}
	if f.err != nil {
		return make([]byte, n)
	}
	b := f.p[:n]
	f.skip(n)
	return b
}

func (f *fields) uint8() uint8   { return f.take(1, "a number")[0] }
func (f *fields) uint32() uint32 { return binary.LittleEndian.Uint32(f.take(4, "a number")) }
func (f *fields) uint64() uint64 { return binary.LittleEndian.Uint64(f.take(8, "a number")) }

func (f *fields) string() string { return string(f.bytes()) }

// bytes are those of a string, in the chunk.
func (f *fields) bytes() []byte {
	n := binary.LittleEndian.Uint16(f.take(2, "a string's length"))
	return f.take(int(n), "a string")
}

// texts are the strings of goroutines. A trace may have a million of these: each test is there once, and paths
// lie beside each other.
type texts struct {
	tests map[string]string
	paths strings.Builder // with room for further ones
}

// leastPaths and mostPaths are how many bytes are made at once.
const leastPaths, mostPaths = 1 << 8, 1 << 16

func (x *texts) test(b []byte) string {
	s, ok := x.tests[string(b)]
	if !ok {
		if x.tests == nil {
			x.tests = make(map[string]string)
		}
		s = string(b)
		x.tests[s] = s
	}
	return s
}

func (x *texts) path(b []byte) string {
	if room := x.paths.Cap(); x.paths.Len()+len(b) > room {
		x.paths.Reset()
		x.paths.Grow(max(leastPaths, min(2*room, mostPaths), len(b)))
	}
	from := x.paths.Len()
	x.paths.Write(b)
	return x.paths.String()[from:]
}

func (d *Reader) decodeGoroutine(f *fields) {
	at := f.base
	g := Goroutine{
		ID:     GID(f.uint32()),
		Parent: GID(f.uint32()),
		Site:   SiteID(f.uint32()),
		Test:   d.texts.test(f.bytes()),
		Path:   d.texts.path(f.bytes()),
	}
	if g.Path == "" {
		f.failAt(at, "a goroutine with a path", "none")
	}
	if limit := d.goroutines + maxGap; uint64(g.ID) >= uint64(limit) {
		f.failAt(at, fmt.Sprintf("a goroutine id below %d", limit), fmt.Sprint(g.ID))
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
	d.t.Goroutines[g.ID] = g
}

func (d *Reader) decodeCallSite(f *fields) {
	s := Site{
		ID:   SiteID(f.uint32()),
		Key:  f.uint64(),
		Line: int(f.uint32()),
		Func: f.string(),
		File: f.string(),
	}
	if f.err == nil {
		d.t.Sites[s.ID] = s
	}
}

func (d *Reader) decodeName(f *fields) {
	at := f.base
	id, name := f.uint32(), f.string()
	if limit := d.names + maxGap; uint64(id) >= uint64(limit) {
		f.failAt(at, fmt.Sprintf("a test name's number below %d", limit), fmt.Sprint(id))
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

// The flags of a site in the file.
const (
	siteData    = 1 << iota // [Site.OnlyStored]
	siteUpdate              // [Site.IsUpdate]
	siteTracked             // [Site.OnlyInFormulas]
	siteFalse               // [Site.FailsIf]: IfFalse
	siteTrue                // [Site.FailsIf]: IfTrue
	siteFormula             // a formula follows
	siteType                // a type follows
	siteStops               // [Site.FailureEndsGoroutine]
)

// The flags of a scope in the file.
const (
	scopeTrue  = 1 << iota // [Scope.HarmlessIfTrue]
	scopeFalse             // [Scope.HarmlessIfFalse]
	scopeCalls             // [Scope.HasCalls]
)

func (d *Reader) decodeScope(f *fields) {
	at := f.base
	id, last, flags := SiteID(f.uint32()), int(f.uint32()), f.uint8()
	s, ok := d.t.Sites[id]
	if f.err == nil && !ok {
		f.failAt(at, "a defined site", fmt.Sprintf("site %#x", id))
	}
	if f.err == nil {
		s.Scope = Scope{last, flags&scopeTrue != 0, flags&scopeFalse != 0, flags&scopeCalls != 0}
		d.t.Sites[id] = s
	}
}

func (d *Reader) decodeSite(f *fields) {
	s := Site{
		ID:   SiteID(f.uint32()),
		Key:  f.uint64(),
		Line: int(f.uint32()),
		Col:  int(f.uint32()),
	}
	flags := f.uint8()
	s.OnlyStored, s.IsUpdate, s.OnlyInFormulas = flags&siteData != 0, flags&siteUpdate != 0, flags&siteTracked != 0
	s.FailureEndsGoroutine = flags&siteStops != 0
	switch {
	case flags&siteTrue != 0:
		s.FailsIf = IfTrue
	case flags&siteFalse != 0:
		s.FailsIf = IfFalse
	}
	s.Func, s.File, s.Op, s.Expr = f.string(), f.string(), f.string(), f.string()
	if flags&siteFormula != 0 {
		s.Formula = f.string()
	}
	if flags&siteType != 0 {
		if s.Type = Type(f.uint8()); s.Type >= numTypes {
			s.Type = TypeUnknown
		}
	}
	if f.err == nil {
		d.t.Sites[s.ID] = s
	}
}
