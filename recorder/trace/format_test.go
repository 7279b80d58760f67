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
	"time"

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
	for i := range uint64(3 * chunkSize / 4) {
		want.Events = append(want.Events, Event{Kind: Write, G: 1, Flags: FlagValue, Obj: i, Val: i * i * i, Size: 8})
	}
	path := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(path, encode(t, want), 0o666))
	got, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// What is as it was foreseen takes one byte, and everything survives.
func TestPacking(t *testing.T) {
	const big = 1<<64 - 1
	loop := []Event{
		{Kind: Branch, Val: 1, Site: SiteRewritten | 1},
		{Kind: Read, Obj: 0x1000, Size: 24, Site: SiteRewritten | 2},
		{Kind: Write, Flags: FlagValue, Obj: 0x1000, Size: 8, Val: 5, Site: SiteRewritten | 3},
	}
	var events []Event
	for i := range uint64(100) {
		loop[1].Obj += 8
		loop[2].Obj = loop[1].Obj
		loop[2].Val = i &^ 3
		events = append(events, loop...)
	}
	var gs guesses
	var p []byte
	for i := range events {
		p = gs.pack(p, &events[i])
	}
	assert.Less(t, len(p), 3*100+3*20+25)

	events = append(events,
		Event{Kind: Branch, Val: big, Site: 1<<32 - 1},
		Event{Kind: Read, Flags: 255, Obj: big, Size: 1<<16 - 1, Val: 1 << 63},
		Event{Kind: NumKinds - 1, Obj: 1, Size: 1<<32 - 1, Val: big - 0xff},
		Event{Kind: Read, Size: 1<<16 - 2, Obj: 1 << 63, Val: 0x0100},
		Event{Kind: Read, Size: 1<<16 - 2, Obj: 1<<63 + 100},
		Event{Kind: Read, Size: 1<<16 - 2, Obj: 0x100},
	)
	want := sample()
	want.Events = events
	got, err := Decode(bytes.NewReader(encode(t, want)))
	require.NoError(t, err)
	assert.Equal(t, events, got.Events)
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
		return string([]byte{1: g, 9: objNear << 1, 14: kind, 18: 2 * obj})
	}
	good := magic + chunk('G', mainG) + chunk('E', event(byte(Panic), 0, 0))
	tests := []struct{ name, data, err string }{
		{"empty", "", "byte 0: expected a gopredict trace, found an empty file"},
		{"another file", "\x7fELF\x02\x01\x01\x00\x00", `byte 0: expected "GPTRACE1"`},
		{"next version", "GPTRACE2" + chunk('X', ""), `byte 7: expected trace version 1, found version "2"`},
		{"checksum", good + strings.Replace(chunk('E', event(byte(Panic), 0, 0)), "\x23", "\x22", 1), "expected checksum 0x"},
		{"type", good + chunk('Q', ""), `byte 79: expected a chunk type`},
		{"header", good + "X\x00\x01\x00" + chunk('X', "")[4:], `byte 79: expected a chunk type`},
		{"length", good + "E\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("\x00", 8), "byte 83: expected a length up to 16777216, found 4294967295"},
		{"after end", good + chunk('X', "") + chunk('E', ""), "byte 95: expected nothing but R and C chunks after X, found 'E'"},
		{"payload of end", good + chunk('X', "a"), "byte 95: expected no payload in X, found 1 bytes"},
		{"part of an event", good + chunk('E', "abc"), "byte 95: expected an event, found 3 bytes that are not a whole one"},
		{"end of an event", good + chunk('E', event(byte(Panic), 0, 0)[:16]), "byte 104: expected an event, found 7 bytes that are not a whole one"},
		{"event of nobody", good + chunk('E', event(byte(Panic), 0, 0)[9:]), "byte 95: expected the goroutine of the chunk's events, found an event"},
		{"kind", good + chunk('E', event(byte(NumKinds), 0, 0)), "byte 104: expected an event kind from 1 to "},
		{"no kind", good + chunk('E', event(0, 0, 0)[:15]+"\x01"+event(0, 0, 0)[16:]), "byte 104: expected an event kind from 1 to "},
		{"goroutine", good + chunk('E', event(byte(Panic), 1, 0)), "byte 95: expected an event of a defined goroutine, found goroutine 1"},
		{"fork", good + chunk('E', event(byte(Fork), 0, 9)), "byte 104: expected a fork of a defined goroutine, found goroutine 9"},
		{"test name", good + chunk('E', event(byte(TestBegin), 0, 0)), "byte 104: expected the number of a defined test name, found 0"},
		{"goroutine id", good + chunk('G', "\xff\xff\xff\xff"+mainG[4:]), "byte 95: expected a goroutine id below 65537, found 4294967295"},
		{"goroutine path", good + chunk('G', mainG[:14]+"\x00\x00"), "byte 95: expected a goroutine with a path, found none"},
		{"name number", good + chunk('N', "\x00\x00\x01\x00\x01\x00T"), "byte 95: expected a test name's number below 65536, found 65536"},
		{"string", good + chunk('N', "\x00\x00\x00\x00\x09\x00T"), "byte 101: expected a string of 9 bytes, found the chunk's end after 1"},
		{"call site", good + chunk('S', "\x01"), "byte 95: expected a number of 4 bytes"},
		{"site", good + chunk('R', strings.Repeat("\x01", 8)), "byte 99: expected a number of 8 bytes"},
		{"meta", good + chunk('M', "go"), `byte 95: expected a line "key value", found "go"`},
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
		"string":    {func(t *Trace) { t.TestNames[0] = strings.Repeat("x", 1<<16) }, "expected a string of up to 65535 bytes, found 65536"},
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
	// What was not executed of the functions that were is there, and no other.
	executed := want.Sites[SiteRewritten|7]
	skipped, unused := executed, Site{ID: SiteRewritten | 1, Key: 1, Line: 1, Op: "read"}
	skipped.ID, skipped.Key, skipped.Line = SiteRewritten|8, uint64(SiteRewritten|8), executed.Line+1
	want.Sites[skipped.ID] = skipped
	sites = append(sites, skipped, unused)
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
	call.IsUpdate = true
	want.Sites[2] = call
	facts := []Site{{Key: call.Key, IsUpdate: true}, {Key: call.Key + 1, IsUpdate: true}, {Key: uint64(want.Sites[SiteRewritten|7].Key), IsUpdate: true}}

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
	assert.Equal(t, h.Sum64()|1<<63, CallSiteKey("example.com/bank.(*Account).Withdraw", 17))
	assert.NotEqual(t, CallSiteKey("f", 1), CallSiteKey("f", 2))
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

// repaired is [repair], and the file with that.
func repaired(t *testing.T, data []byte) ([]byte, string) {
	data = repair(data)
	file := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(file, data, 0o666))
	return data, file
}

// ReadFile reads what Decode reads, be it damaged or not.
func FuzzReadFile(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add(encode(f, sample())[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		data, file := repaired(t, data)
		got, err := ReadFile(file)
		want, wantErr := Decode(bytes.NewReader(data))
		require.Equal(t, WithFileName(wantErr, file), err)
		if len(got.Events) == 0 {
			got.Events = nil
		}
		require.Equal(t, want, got)
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

// What a trace tells of goroutines that are blocked is the same once written and read.
func TestStuckRoundTrip(t *testing.T) {
	want := sample()
	want.Blocked = []BlockedGoroutine{
		{G: 2, Proof: ProofLeak, Op: Recv, Site: 2, Obj: 5, Duration: time.Second, Stack: []Frame{{"bank.wait", "/src/my bank/bank.go", 3}}, StartedBy: Frame{"bank.f", "bank.go", 4}},
		{G: 1, Proof: ProofLingering, Op: Select, Site: 2},
		{G: 1, Proof: ProofLeak, Op: Select, Site: 2, Stack: []Frame{{"bank.wait", "/src/my bank/bank.go", 3}}, Turns: true},
	}
	got, err := Decode(bytes.NewReader(encode(t, want)))
	require.NoError(t, err)
	require.Equal(t, want.Blocked, got.Blocked)
}
