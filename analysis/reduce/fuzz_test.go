package reduce_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/recorder/trace"
)

// encode returns the file of tr.
func encode(t testing.TB, tr *trace.Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, trace.Encode(&b, tr))
	return b.Bytes()
}

// repair returns the file data with the checksums that its chunks need, as the documentation of package trace
// describes them: without them, nothing of what a fuzzer changes is read.
func repair(data []byte) []byte {
	const magic, header, offset, prime = 8, 16, 14695981039346656037, 1099511628211
	data = bytes.Clone(data)
	for at := magic; at+header <= len(data); {
		h := data[at : at+header]
		at += header
		n := int(binary.LittleEndian.Uint32(h[4:]))
		if n > len(data)-at {
			break
		}
		lanes := [4]uint64{offset, offset, offset, offset}
		for k := 0; k < n; k += 8 {
			var word [8]byte
			copy(word[:], data[at+k:at+n])
			lane := &lanes[k/8%4]
			*lane = (*lane ^ binary.LittleEndian.Uint64(word[:])) * prime
		}
		sum := uint64(offset)
		for _, lane := range lanes {
			sum = (sum ^ lane) * prime
		}
		binary.LittleEndian.PutUint64(h[8:], sum)
		at += n
	}
	return data
}

// Repaired files are as they were if nothing was changed.
func TestRepair(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}}, Complete: true}
	for k := range 100 {
		tr.Events = append(tr.Events, trace.Event{Kind: trace.Write, Flags: trace.FlagValue, Obj: uint64(8 * k), Size: 8, Val: uint64(k * k)})
	}
	data := encode(t, tr)
	require.Equal(t, data, repair(data))
}

// What ReadConcurrent reads twice, and leaves out of, is what trace.Decode reads once, and is read again as it was: of any
// file.
func FuzzReadConcurrent(f *testing.F) {
	tests := &trace.Trace{
		Goroutines: []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Test: "TestB", Path: "0"}, {ID: 3, Parent: 2, Test: "TestB", Path: "0.1"}},
		TestNames:  []string{"TestA", "TestB"}, Complete: true,
		Events: []trace.Event{
			{Kind: trace.Fork, Obj: 1}, {Kind: trace.Begin, G: 1}, {Kind: trace.Write, G: 1, Obj: 0x1000, Size: 8}, {Kind: trace.Write, G: 1, Obj: 0x1000, Size: 8}, {Kind: trace.TestEnd, G: 1}, {Kind: trace.End, G: 1},
			{Kind: trace.Fork, Obj: 2}, {Kind: trace.Begin, G: 2}, {Kind: trace.Fork, G: 2, Obj: 3}, {Kind: trace.Begin, G: 3}, {Kind: trace.Operand, G: 3}, {Kind: trace.Branch, G: 3}, {Kind: trace.End, G: 3}, {Kind: trace.TestEnd, G: 2, Obj: 1}, {Kind: trace.End, G: 2},
		},
	}
	f.Add(encode(f, tests))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = repair(data)
		file := filepath.Join(t.TempDir(), "trace")
		require.NoError(t, os.WriteFile(file, data, 0o666))
		got, err := reduce.ReadConcurrentOf(file, 1, 1)
		require.NotNil(t, got)
		want, wantErr := trace.Decode(bytes.NewReader(data))
		require.Equal(t, wantErr == nil, err == nil)
		require.Equal(t, len(want.Events), len(got.Events)+got.OmittedEvents)
		rest := want.Events
		for _, e := range got.Events {
			at := slices.IndexFunc(rest, func(f trace.Event) bool {
				f.Flags, f.Skipped = f.Flags|e.Flags&trace.FlagBranchOmitted, e.Skipped
				return f == e
			})
			require.GreaterOrEqual(t, at, 0, "what stays is in its order")
			rest = rest[at+1:]
		}
		if events := got.Events; len(events) > 0 {
			got.Events = nil
			require.NoError(t, reduce.ReadEvents(got))
			require.Equal(t, events, got.Events)
		}
	})
}
