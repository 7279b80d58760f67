package trace

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Accesses of one address belong together until its object is freed; those of
// the object beside it, and of larger ones, each have their own time.
func TestGenerations(t *testing.T) {
	const small, large = 0x1000, 0x10000
	tr := &Trace{
		Events: []Event{
			{Kind: Write, Obj: small, Size: 8},
			{Kind: Write, Obj: small + 16, Size: 8},
			{Kind: Write, Obj: large + 9000, Size: 8},
			{Kind: Write, Obj: small + 4, Size: 4},
			{Kind: Write, Obj: small + 16, Size: 8},
			{Kind: Write, Obj: large + 8, Size: 8},
			{Kind: Write, Obj: large + 9001, Size: 1},
			{Kind: Write, Obj: small, Size: 8},
			{Kind: Write, Obj: large + 8, Size: 8},
			{Kind: Write, Obj: large + 16, Size: 8},
		},
		Freed: []FreedObjects{
			{Position: 3, FirstAddr: small, Size: 16, Mask: 1},
			{Position: 5, FirstAddr: large, Size: 20000, Mask: 1},
			{Position: 5, FirstAddr: 0x900000, Size: 8, Mask: 1<<64 - 1}, // nobody's
			{Position: 8, FirstAddr: large, Size: 16, Mask: 1},
		},
	}
	g := NewGenerations(tr)
	var of []int32
	for i := range tr.Events {
		of = append(of, g.Of(i))
	}
	assert.NotEqual(t, of[0], of[3], "freed in between")
	assert.Equal(t, of[3], of[7], "parts of one object")
	assert.Equal(t, of[1], of[4], "the object beside it")
	assert.NotEqual(t, of[2], of[6], "freed in between, on its second page")
	assert.Equal(t, of[5], of[6], "one object of several pages")
	assert.NotEqual(t, of[5], of[8], "freed in between, as a part of what was one")
	assert.Equal(t, of[5], of[9], "the rest of that")

	assert.Zero(t, NewGenerations(&Trace{Events: tr.Events}).Of(2))
}

// Whatever sizes objects of one page have had in turn, each eight bytes are of the generation of when they
// were freed last.
func TestGenerationsOfSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tr := &Trace{}
	const from, pages = 0x10000, 3
	want, last := []int32{}, make(map[uint64]int32)
	for range 2000 {
		if rng.IntN(2) == 0 {
			f := FreedObjects{FirstAddr: from + 8*rng.Uint64N(pages*PageSize/8), Mask: 1 << rng.IntN(5), Size: 8 << rng.IntN(11), Position: int32(len(tr.Events))}
			if rng.IntN(2) == 0 {
				f.Size = f.Size/2*3 + 8
			}
			if rng.IntN(2) == 0 {
				f.FirstAddr -= f.FirstAddr % uint64(f.Size)
			}
			tr.Freed = append(tr.Freed, f)
			for k := uint64(0); k < 5; k++ {
				for at := f.FirstAddr + k*uint64(f.Size); f.Mask>>k&1 != 0 && at < f.FirstAddr+(k+1)*uint64(f.Size); at += 8 {
					last[at/8] = f.Position + 1
				}
			}
		}
		e := Event{Kind: Read, Obj: from + rng.Uint64N(pages*PageSize), Size: 1}
		tr.Events = append(tr.Events, e)
		want = append(want, last[e.Obj/8])
	}
	g := NewGenerations(tr)
	for i := range tr.Events {
		assert.Equal(t, want[i], g.Of(i), i)
	}
}
