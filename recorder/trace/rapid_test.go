package trace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func rapidText(t testing.TB, tr *Trace) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteRAPID(&b, tr))
	return b.String()
}

const rapidIn = `main|w(x)|3
main|fork(worker)|4
worker|acq(L)|10
worker|acq(L)|11
worker|r(x)|12
worker|rel(L)|13
worker|rel(L)|14
worker|begin(B)|15
worker|end(B)|16
main|join(worker)|5
main|r(x)|6
`

func TestReadRAPID(t *testing.T) {
	got, err := ReadRAPID(strings.NewReader(rapidIn))
	require.NoError(t, err)
	const x, l = 8, lockBase + 8
	assert.Equal(t, []Event{
		{Kind: Write, G: 0, Site: 3, Obj: x, Size: 8},
		{Kind: Fork, G: 0, Site: 4, Obj: 1},
		{Kind: Begin, G: 1},
		{Kind: Acquire, G: 1, Site: 10, Obj: l},
		{Kind: Read, G: 1, Site: 12, Obj: x, Size: 8},
		{Kind: Release, G: 1, Site: 14, Obj: l},
		{Kind: RegionBegin, G: 1, Site: 15},
		{Kind: RegionEnd, G: 1, Site: 16},
		{Kind: Post, G: 1, Obj: 2},
		{Kind: End, G: 1},
		{Kind: Await, G: 0, Site: 5, Obj: 2},
		{Kind: Read, G: 0, Site: 6, Obj: x, Size: 8},
	}, got.Events)
	assert.Equal(t, []Goroutine{{ID: 0, Path: "main"}, {ID: 1, Parent: 0, Path: "worker", Site: 4}}, got.Goroutines)
	assert.Equal(t, Site{ID: 12, Key: 12, Line: 12}, got.Sites[12])
	assert.True(t, got.Complete)
	assert.NoError(t, Validate(got))

	assert.Equal(t, `T0|w(V8)|3
T0|fork(T1)|4
T1|acq(L10000000008)|10
T1|r(V8)|12
T1|rel(L10000000008)|14
T1|begin(R0)|15
T1|end(R0)|16
T0|join(T1)|5
T0|r(V8)|6
`, rapidText(t, got))
}

// Synchronization that RAPID does not know becomes critical sections in the
// same order.
func TestWriteRAPIDSynchronization(t *testing.T) {
	assert.Equal(t, `T0|fork(T1)|1
T1|fork(T2)|2
T1|acq(LWc000000100)|2
T1|r(Wc000000100)|2
T1|w(Wc000000100)|2
T1|rel(LWc000000100)|2
T2|acq(Lc000000200)|2
T2|r(Vc000000300)|2147483655
T2|w(Vc000000300)|2147483657
T2|w(Vc000000340)|2147483657
T2|rel(Lc000000200)|2
T2|acq(LC5)|2
T2|r(C5)|2
T2|w(C5)|2
T2|rel(LC5)|2
T2|acq(LC5)|2
T2|r(C5)|2
T2|rel(LC5)|2
T2|acq(LWc000000100)|2
T2|r(Wc000000100)|2
T2|w(Wc000000100)|2
T2|rel(LWc000000100)|2
T1|acq(LC5)|2
T1|r(C5)|2
T1|w(C5)|2
T1|rel(LC5)|2
T1|acq(LC5)|2
T1|r(C5)|2
T1|rel(LC5)|2
T1|acq(LVc000000400)|2147483657
T1|r(Vc000000400)|2147483657
T1|rel(LVc000000400)|2147483657
T1|acq(LWc000000100)|2
T1|r(Wc000000100)|2
T1|rel(LWc000000100)|2
`, rapidText(t, sample()))
}

func TestWriteRAPIDReadersExcludeWriters(t *testing.T) {
	tr := &Trace{
		Goroutines: []Goroutine{{ID: 0, Path: "a"}, {ID: 1, Parent: 1, Path: "b"}, {ID: 2, Parent: 2, Path: "c"}},
		Events: []Event{
			{Kind: RAcquire, G: 0, Obj: 1}, {Kind: RAcquire, G: 1, Obj: 1},
			{Kind: RRelease, G: 0, Obj: 1}, {Kind: RRelease, G: 1, Obj: 1},
			{Kind: Acquire, G: 2, Obj: 1}, {Kind: Release, G: 2, Obj: 1},
		},
	}
	require.NoError(t, Validate(tr))
	again, err := ReadRAPID(strings.NewReader(rapidText(t, tr)))
	require.NoError(t, err)
	assert.NoError(t, Validate(again), "readers may overlap")
	assert.Len(t, again.Events, 4+6, "the writer takes its own and both readers' locks")
}

// Threads have one name wherever they are mentioned.
func TestRAPIDManyThreads(t *testing.T) {
	var in strings.Builder
	for g := 1; g <= 40; g++ {
		fmt.Fprintf(&in, "T0|fork(T%d)|1\nT%d|w(V8)|2\nT0|join(T%d)|3\n", g, g, g)
	}
	got, err := ReadRAPID(strings.NewReader(in.String()))
	require.NoError(t, err)
	require.NoError(t, Validate(got))
	assert.Equal(t, in.String(), rapidText(t, got))
}

func TestReadRAPIDErrors(t *testing.T) {
	const head = "T0|w(x)|1\n"
	for _, tt := range []struct{ in, err string }{
		{"T0 w(x) 1", `line 2: expected thread|op(operand)|location, found "T0 w(x) 1"`},
		{"|w(x)|1", `line 2: expected thread|op(operand)|location`},
		{"T0|w x|1", `line 2: expected op(operand), found "w x"`},
		{"T0|w(x)|here", `line 2: expected a location up to 4294967295, found "here"`},
		{"T0|wr(x)|1", `line 2: expected one of r w acq rel fork join begin end, found "wr"`},
		{"T0|fork(T0)|1", "line 2: expected fork of another thread, found of itself"},
		{"T0|fork(1)|1\nT1|w(x)|2", "line 2: expected a fork of a thread that does something, as fork(T1), found fork(1), and of 1 nothing"},
		{"T0|fork()|1", "line 2: expected a thread to fork, found none"},
		{"T1|fork(T0)|1", `line 2: expected a fork before the thread's first event, found an earlier one of "T0"`},
		{"T0|rel(L)|1", "line 2: expected a release of a lock that the thread holds, found one that it does not hold"},
		{"T1|join(T0)|1\nT0|w(x)|1", `line 3: expected no event of a thread after a join of it, found "w(x)" of "T0"`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			got, err := ReadRAPID(strings.NewReader(head + tt.in))
			require.ErrorContains(t, err, tt.err)
			assert.Equal(t, Write, got.Events[0].Kind)
			assert.False(t, got.Complete)
		})
	}
}

// What ReadRAPID accepts, WriteRAPID writes in a form that stays as it is.
func FuzzReadRAPID(f *testing.F) {
	f.Add(rapidIn)
	f.Add("T0|join(T1)|0\nT2|fork(T0)|1")
	f.Fuzz(func(t *testing.T, in string) {
		first, err := ReadRAPID(strings.NewReader(in))
		require.NotNil(t, first)
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatal(err)
		}
		second, err := ReadRAPID(strings.NewReader(rapidText(t, first)))
		require.NoError(t, err)
		once := rapidText(t, second)
		third, err := ReadRAPID(strings.NewReader(once))
		require.NoError(t, err)
		require.Equal(t, once, rapidText(t, third))
		require.Equal(t, len(first.Events), len(third.Events))
	})
}
