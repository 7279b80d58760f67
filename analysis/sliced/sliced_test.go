package sliced_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/sliced"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A recording is a trace, and what its events are called.
type recording struct {
	*trace.Trace
	of map[string]int32 // positions
}

// record makes a trace of two goroutines from lines such as
//
//	1 write a 11       goroutine 1 writes 1 to a, at line 11
//	2 read a 21        … 2 reads it, only for the branch below it, or the next line
//	2 write d 22 sum   … which writes what was read and one more
//	2 write a 21 zero  … which writes 0
//	2 read p 21 index  … for what nobody follows
//	2 branch true 21 to 23 false   and is in the statement up to line 23 then, of which the
//	                   arm for false does nothing that is seen
//
// Each event is called as its line begins: "1 write a", where it is the first of the sort.
func record(t *testing.T, text string) recording {
	t.Helper()
	r := recording{&trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true}, make(map[string]int32)}
	objects := map[string]uint64{}
	for g := range 3 {
		r.Goroutines = append(r.Goroutines, trace.Goroutine{ID: trace.GID(g), Test: "TestT", Path: strings.Repeat("0.", g) + "0"})
	}
	for g := uint64(1); g < 3; g++ {
		r.Events = append(r.Events, trace.Event{Kind: trace.Fork, Obj: g}, trace.Event{Kind: trace.Begin, G: trace.GID(g)})
	}
	read, found := map[string]trace.SiteID{}, map[string]uint64{} // by goroutine: the site of its last read, and what that found
	memory := map[uint64]uint64{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		require.GreaterOrEqual(t, len(f), 4, line)
		g, err := strconv.Atoi(f[0])
		require.NoError(t, err, line)
		kind, ok := trace.KindOf(f[1])
		require.True(t, ok, line)
		at, err := strconv.Atoi(f[3])
		require.NoError(t, err, line)
		s := trace.Site{ID: trace.SiteRewritten | trace.SiteID(100*at+10*g+int(kind)%10), Func: "g" + f[0], File: "p.go", Line: at, Op: f[1]}
		s.Key = uint64(s.ID)
		e := trace.Event{Kind: kind, G: trace.GID(g), Site: s.ID}
		if kind == trace.Branch {
			if f[2] == "true" {
				e.Val = 1
			}
			s.Formula = fmt.Sprintf("(= @%xi8 %d)", uint64(read[f[0]]), 1)
			if len(f) > 4 {
				last, err := strconv.Atoi(f[5])
				require.NoError(t, err, line)
				s.Scope = trace.Scope{LastLine: last, HarmlessIfTrue: slices.Contains(f[6:], "true"), HarmlessIfFalse: slices.Contains(f[6:], "false")}
			}
		} else {
			if objects[f[2]] == 0 {
				objects[f[2]] = 0x1000 + 8*uint64(len(objects))
			}
			e.Obj = objects[f[2]]
		}
		if kind.IsAccess() {
			e.Size, e.Flags = 8, trace.FlagValue
		}
		switch how := strings.Join(f[4:], " "); {
		case kind == trace.Read:
			e.Val = memory[e.Obj]
			found[f[0]] = e.Val
		case kind == trace.Write && how == "sum":
			e.Val = found[f[0]] + 1
			s.Formula = fmt.Sprintf("(+ @%xi8 1)", uint64(read[f[0]]))
		case kind == trace.Write && how != "zero":
			e.Val = 1
		}
		if kind == trace.Write {
			memory[e.Obj] = e.Val
		}
		if kind == trace.Read {
			s.OnlyInFormulas = len(f) == 4
			read[f[0]] = s.ID
		}
		r.Sites[s.ID] = s
		name := strings.Join(f[:3], " ")
		if _, ok := r.of[name]; !ok {
			r.of[name] = int32(len(r.Events))
		}
		r.Events = append(r.Events, e)
	}
	require.NoError(t, trace.Validate(r.Trace))
	return r
}

// cut returns the slice of the accesses of a variable, and happens-before.
func (r recording) cut(t *testing.T, variable string) (slice, hb sliced.Slice) {
	t.Helper()
	o, err := order.New(r.Trace)
	require.NoError(t, err)
	s := sliced.New(r.Trace, o)
	obj := r.Events[r.of["1 write "+variable]].Obj
	var relevant []int32
	for i, e := range r.Events {
		if e.Kind.IsAccess() && e.Obj == obj {
			relevant = append(relevant, int32(i))
		}
	}
	return s.SliceOf(relevant), s.HappensBefore()
}

func (r recording) ordered(s sliced.Slice, a, b string) bool {
	return s.BeforeReached(int(r.of[a]), int(r.of[b]))
}

// In the trace of Figure 2 the accesses of e depend on the write of a, which the branch has
// read that they are in the control scope of; not on those of b and c, of which nothing
// is asked but that they come.
func TestFigure2(t *testing.T) {
	r := record(t, `
1 write a 11
2 read a 21
2 branch true 21 to 23 false
1 write b 12
1 write c 13
2 read c 22
2 write d 22 sum
2 read b 23
2 write e 23 sum
1 write e 14 // not in the figure: what e's write in L23 may race with
2 read e 24
2 write x 24 sum`)
	slice, hb := r.cut(t, "e")
	for earlier, ordered := range map[string][2]bool{"1 write a": {true, true}, "1 write b": {false, true}, "1 write c": {false, true}, "1 write e": {false, false}} {
		assert.Equal(t, ordered[0], r.ordered(slice, earlier, "2 write e"), "%s in the slice", earlier)
		assert.Equal(t, ordered[1], r.ordered(hb, earlier, "2 write e"), "%s by happens-before", earlier)
	}
	assert.Equal(t, 6, slice.Events, "a is written and read, and the branch; e three times")
}

// Two write to the disk of Daisy, each where it has sought (Figure 13), one after the other
// (Figure 14): under one mutex, or each under that of its block.
func daisy(acquire string, mutexes [2]string) string {
	var b strings.Builder
	for g, m := range mutexes {
		for _, line := range strings.Split(acquire, "\n") {
			fmt.Fprintf(&b, "%d %s\n", g+1, strings.NewReplacer("mu", "mu"+m, "locked", "locked"+m).Replace(line))
		}
		fmt.Fprintf(&b, `%[1]d write pos 11
%[1]d read pos 12 index
%[1]d write block%[2]s 12
%[1]d acq mu%[2]s 21
%[1]d write locked%[2]s 22 zero
%[1]d rel mu%[2]s 23
`, g+1, m)
	}
	return b.String()
}

// The position of the disk races where the two write other blocks, and so hold other mutexes.
// Where they hold the same one, it does not, as whatever comes after a loop that may go round for ever is
// in its control scope; with if in place of while (Figure 15) it does, and so does the block, and
// happens-before does not show it: what one finds in the mutex the other one has written.
func TestFigures13To15(t *testing.T) {
	while := "acq mu 1\nread locked 2\nbranch false 2\nwrite locked 4\nrel mu 5"
	once := "acq mu 1\nread locked 2\nbranch false 2 to 3 true\nwrite locked 4\nrel mu 5"
	for _, test := range []struct {
		name, acquire         string
		mutexes               [2]string
		variable              string
		sliced, happensBefore bool // it races
	}{
		{"blocks of their own", while, [2]string{"1", "2"}, "pos", true, true},
		{"while", while, [2]string{"1", "1"}, "pos", false, false},
		{"while, the block", while, [2]string{"1", "1"}, "block1", false, false},
		{"if", once, [2]string{"1", "1"}, "pos", true, false},
		{"if, the block", once, [2]string{"1", "1"}, "block1", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := record(t, daisy(test.acquire, test.mutexes))
			slice, hb := r.cut(t, test.variable)
			assert.Equal(t, test.sliced, !r.ordered(slice, "1 write "+test.variable, "2 write "+test.variable), "sliced causality")
			assert.Equal(t, test.happensBefore, !r.ordered(hb, "1 write "+test.variable, "2 write "+test.variable), "happens-before")
		})
	}
}
