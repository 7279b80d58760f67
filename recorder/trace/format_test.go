package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEncodeDecode(t *testing.T) {
	want := sample()
	data := encode(t, want)
	got, err := Decode(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, data, encode(t, got), "equal traces give equal bytes")
}

// A large trace spans several chunks.
func TestEncodeDecodeManyChunks(t *testing.T) {
	want := sample()
	for i := range uint64(3 * chunkSize / meanEventSize) {
		want.Events = append(want.Events, Event{Kind: Write, G: 1, Flags: FlagValue, Obj: i, Val: i * i * i, Size: 8})
	}
	path := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(path, encode(t, want), 0o666))
	got, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// Each event takes the shortest record that holds it.
func TestEventRecords(t *testing.T) {
	const wide = 1<<48 - 1
	for _, tt := range []struct {
		e     Event
		words int
	}{
		{Event{Kind: Branch, Val: 1<<16 - 1, Site: 1<<32 - 1}, 1},
		{Event{Kind: Branch, Val: 1 << 16}, 3},
		{Event{Kind: Read, Flags: 255, Obj: wide, Size: 1<<16 - 1, Val: 1<<16 - 1}, 2},
		{Event{Kind: Read, Obj: wide, Val: 1 << 16}, 3},
		{Event{Kind: Write, Obj: wide, Size: 8, Val: 1<<64 - 1}, 3},
		{Event{Kind: Write, Obj: wide + 1, Size: 8}, 4},
		{Event{Kind: NumKinds - 1, Obj: 1<<64 - 1, Size: 1<<32 - 1, Val: 1<<64 - 1}, 4},
		{Event{Kind: Read, Size: 1}, 2},
	} {
		p := appendEvent(nil, &tt.e)
		assert.Len(t, p, 8*tt.words, "%+v", tt.e)
		got := sample()
		got.Events = []Event{tt.e}
		got, err := Decode(bytes.NewReader(encode(t, got)))
		require.NoError(t, err)
		assert.Equal(t, []Event{tt.e}, got.Events)
	}
}

// Cut at any byte a trace gives a prefix of its events and no error, but
// where not even the mark at the start is whole.
func TestDecodeTruncated(t *testing.T) {
	want := sample()
	data := encode(t, want)
	seen := map[int]bool{}
	for n := range data {
		got, err := Decode(bytes.NewReader(data[:n]))
		require.NotNil(t, got)
		assert.False(t, got.Complete, "cut at %d", n)
		if n < len(magic) {
			var fe *FormatError
			assert.ErrorAs(t, err, &fe, "cut at %d", n)
			continue
		}
		assert.NoError(t, err, "cut at %d", n)
		assert.Equal(t, want.Events[:len(got.Events)], append([]Event{}, got.Events...))
		seen[len(got.Events)] = true
	}
	assert.True(t, seen[0] && seen[len(want.Events)], "both no and all events must have been seen")
}

// No flipped bit changes the events unnoticed.
func TestDecodeBitFlips(t *testing.T) {
	want := sample()
	data := encode(t, want)
	for i := range len(data) * 8 {
		bad := bytes.Clone(data)
		bad[i/8] ^= 1 << (i % 8)
		got, err := Decode(bytes.NewReader(bad))
		if err != nil {
			var fe *FormatError
			require.ErrorAs(t, err, &fe, "bit %d", i)
			assert.LessOrEqual(t, fe.Offset, int64(len(data)))
		} else {
			assert.False(t, got.Complete, "bit %d is flipped and nothing said", i)
		}
		require.LessOrEqual(t, len(got.Events), len(want.Events))
		assert.Equal(t, want.Events[:len(got.Events)], append([]Event{}, got.Events...), "bit %d", i)
	}
}

// chunk makes a chunk with a right checksum.
func chunk(typ byte, payload string) string {
	h := make([]byte, headerSize)
	h[0] = typ
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(h[8:], checksum([]byte(payload)))
	return string(h) + payload
}

func TestDecodeDamage(t *testing.T) {
	const mainG = "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00" + "\x04\x00main"
	event := func(kind byte, g byte, obj byte) string {
		return string([]byte{4: g, 8: kind | formShort<<formShift, 16: obj, 23: 0})
	}
	good := magic + chunk('G', mainG) + chunk('E', event(byte(Panic), 0, 0))
	tests := []struct{ name, data, err string }{
		{"empty", "", "byte 0: expected a gopredict trace, found an empty file"},
		{"another file", "\x7fELF\x02\x01\x01\x00\x00", `byte 0: expected "GPTRACE1"`},
		{"next version", "GPTRACE2" + chunk('X', ""), `byte 7: expected trace version 1, found version "2"`},
		{"checksum", good + strings.Replace(chunk('E', event(byte(Panic), 0, 0)), "\x63", "\x62", 1), "expected checksum 0x"},
		{"type", good + chunk('Q', ""), `byte 84: expected a chunk type`},
		{"header", good + "X\x00\x01\x00" + chunk('X', "")[4:], `byte 84: expected a chunk type`},
		{"length", good + "E\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("\x00", 8), "byte 88: expected a length up to 16777216, found 4294967295"},
		{"after end", good + chunk('X', "") + chunk('E', ""), "byte 100: expected nothing but R chunks after X, found 'E'"},
		{"payload of end", good + chunk('X', "a"), "byte 100: expected no payload in X, found 1 bytes"},
		{"part of an event", good + chunk('E', "abc"), "byte 100: expected an event of 8 bytes or more, found 3 bytes"},
		{"end of an event", good + chunk('E', event(byte(Panic), 0, 0)[:16]), "byte 108: expected an event of 16 bytes, found 8 bytes"},
		{"event of nobody", good + chunk('E', event(byte(Panic), 0, 0)[8:]), "byte 100: expected the goroutine of the chunk's events, found an event"},
		{"kind", good + chunk('E', event(byte(NumKinds), 0, 0)), "byte 108: expected an event kind from 1 to "},
		{"no kind", good + chunk('E', event(0, 0, 0)), "byte 108: expected an event kind from 1 to "},
		{"goroutine", good + chunk('E', event(byte(Panic), 1, 0)), "byte 100: expected an event of a defined goroutine, found goroutine 1"},
		{"fork", good + chunk('E', event(byte(Fork), 0, 9)), "byte 108: expected a fork of a defined goroutine, found goroutine 9"},
		{"test name", good + chunk('E', event(byte(TestBegin), 0, 0)), "byte 108: expected the number of a defined test name, found 0"},
		{"goroutine id", good + chunk('G', "\xff\xff\xff\xff"+mainG[4:]), "byte 100: expected a goroutine id below 65537, found 4294967295"},
		{"goroutine path", good + chunk('G', mainG[:14]+"\x00\x00"), "byte 100: expected a goroutine with a path, found none"},
		{"name number", good + chunk('N', "\x00\x00\x01\x00\x01\x00T"), "byte 100: expected a test name's number below 65536, found 65536"},
		{"string", good + chunk('N', "\x00\x00\x00\x00\x09\x00T"), "byte 106: expected a string of 9 bytes, found the chunk's end after 1"},
		{"call site", good + chunk('S', "\x01"), "byte 100: expected a number of 4 bytes"},
		{"site", good + chunk('R', strings.Repeat("\x01", 8)), "byte 104: expected a number of 8 bytes"},
		{"meta", good + chunk('M', "go"), `byte 100: expected a line "key value", found "go"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode(strings.NewReader(tt.data))
			require.ErrorContains(t, err, tt.err)
			var fe *FormatError
			require.ErrorAs(t, err, &fe)
			require.NotNil(t, got)
			if strings.HasPrefix(tt.data, good) {
				assert.Len(t, got.Events, 1, "what stands before the damage is kept")
			}
		})
	}
}

func TestReadFileNamesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bank.trace")
	require.NoError(t, os.WriteFile(path, []byte("GPTRACE2"), 0o666))
	_, err := ReadFile(path)
	assert.ErrorContains(t, err, path+": byte 7: ")
	assert.ErrorContains(t, AppendSites(path, nil), path+": byte 7: ")
	_, err = ReadFile(path + ".none")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

type failing struct{ after int }

var errDisk = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestEncodeFails(t *testing.T) {
	assert.ErrorIs(t, Encode(&failing{after: 3}, sample()), errDisk)
	for name, tt := range map[string]struct {
		change func(*Trace)
		err    string
	}{
		"string":    {func(t *Trace) { t.Names[0] = strings.Repeat("x", 1<<16) }, "expected a test name of up to 65535 bytes, found 65536"},
		"line":      {func(t *Trace) { t.Sites[3] = Site{ID: 3, Line: -1} }, "found -1"},
		"meta":      {func(t *Trace) { t.Meta.Dir = "a\nb" }, `expected one line for dir, found "a\nb"`},
		"kind":      {func(t *Trace) { t.Events[4].Kind = 99 }, "event 4: expected an event kind"},
		"goroutine": {func(t *Trace) { t.Events[5].G = 99 }, "event 5: expected an event of a defined goroutine, found goroutine 99"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := sample()
			tt.change(tr)
			assert.ErrorContains(t, Encode(&bytes.Buffer{}, tr), tt.err)
		})
	}
}

func TestAppendSites(t *testing.T) {
	want := sample()
	var sites []Site
	bare := sample()
	for id, s := range want.Sites {
		if id&SiteRewritten != 0 {
			delete(bare.Sites, id)
			sites = append(sites, s)
		}
	}
	unused := Site{ID: SiteRewritten | 1, Key: 1, Line: 1, Op: "read"}
	sites = append(sites, unused)
	whole := encode(t, bare)
	eventsEnd := len(whole) - headerSize // the end chunk

	for _, cut := range []int{len(whole), len(whole) - 1, eventsEnd, eventsEnd - 1, len(magic)} {
		path := filepath.Join(t.TempDir(), "trace")
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o666))
		require.NoError(t, AppendSites(path, sites))
		got, err := ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, cut == len(whole), got.Complete)
		switch {
		case cut >= eventsEnd:
			assert.Equal(t, want.Sites, got.Sites)
			assert.Equal(t, want.Events, got.Events)
		default:
			assert.Empty(t, got.Events)
			assert.NotContains(t, got.Sites, SiteRewritten|7, "no event, so no site")
		}

		// A second time there is nothing left to add.
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, AppendSites(path, sites))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after)
	}

	bare.AddSites(sites)
	assert.Equal(t, want, bare)
}

// A call site has a number of its own in each trace: what is known of it goes
// by the key.
func TestSitesOfCalls(t *testing.T) {
	want := sample()
	call := want.Sites[2]
	call.Update = true
	want.Sites[2] = call
	facts := []Site{{Key: call.Key, Update: true}, {Key: call.Key + 1, Update: true}, {Key: uint64(want.Sites[SiteRewritten|7].Key), Update: true}}

	path := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(path, encode(t, sample()), 0o666))
	require.NoError(t, AppendSites(path, facts))
	got, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want.Sites, got.Sites)

	inMemory := sample()
	inMemory.AddSites(facts)
	assert.Equal(t, want.Sites, inMemory.Sites)
}

func TestAppendSitesKeepsDamagedFile(t *testing.T) {
	data := encode(t, sample())
	data[len(data)-headerSize-1] ^= 1
	path := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(path, data, 0o666))
	var fe *FormatError
	require.ErrorAs(t, AppendSites(path, nil), &fe)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, data, after)
}

func TestKeyOf(t *testing.T) {
	h := fnv.New64a()
	h.Write([]byte("example.com/bank.(*Account).Withdraw:17"))
	assert.Equal(t, h.Sum64()|1<<63, KeyOf("example.com/bank.(*Account).Withdraw", 17))
	assert.NotEqual(t, KeyOf("f", 1), KeyOf("f", 2))
}

// repair makes all checksums right, so that fuzzing gets past them.
func repair(data []byte) []byte {
	data = bytes.Clone(data)
	for at := len(magic); at+headerSize <= len(data); {
		h := data[at : at+headerSize]
		at += headerSize
		n := int(binary.LittleEndian.Uint32(h[4:]))
		if n > len(data)-at {
			break
		}
		binary.LittleEndian.PutUint64(h[8:], checksum(data[at:at+n]))
		at += n
	}
	return data
}

func FuzzDecode(f *testing.F) {
	data := encode(f, sample())
	f.Add(data)
	f.Add(data[:len(data)-5])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Decode(bytes.NewReader(repair(data)))
		require.NotNil(t, got)
		if err != nil {
			var fe *FormatError
			require.ErrorAs(t, err, &fe)
		}
		again, err := Decode(bytes.NewReader(encode(t, got)))
		require.NoError(t, err)
		require.Equal(t, got.Events, again.Events)
		require.Equal(t, got.Sites, again.Sites)
	})
}

func BenchmarkDecode(b *testing.B) {
	tr := sample()
	for i := range uint64(1 << 20) {
		tr.Events = append(tr.Events, Event{Kind: Read, G: 1, Obj: i, Size: 8})
	}
	data := encode(b, tr)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
