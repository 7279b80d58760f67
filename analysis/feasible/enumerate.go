package feasible

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

type successor struct {
	pos   int
	state *state
}

// successors returns the states one step after s, of which clone returns copies.
func (p *program) successors(s *state, clone func() *state) []successor {
	var all []successor
	for g := range p.forked {
		pos, reason := s.nextOf(g)
		if reason != "" {
			continue
		}
		if c := clone(); c.step(pos) == "" {
			all = append(all, successor{int(pos), c})
		}
	}
	return all
}

// Races returns all pairs of conflicting accesses of t, as positions, that two
// goroutines are about to execute in some feasible interleaving: by definition
// the predictable races. At least one of the two writes and at
// least one is not atomic; or one closes a channel, and the other one closes
// it or sends; or one adds to a WaitGroup's zero, and the other one waits; or
// one is a plain access to the memory of a lock, WaitGroup or Once. The pairs are
// sorted, the lower position first. It is an oracle for
// small traces: their number grows exponentially.
func Races(t *trace.Trace) [][2]int {
	p := compiled(t)
	found := map[[2]int]bool{}
	p.visit(func(s *state) bool {
		p.collect(s, found)
		return true
	})
	return slices.SortedFunc(maps.Keys(found), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
}

// Fails reports whether the event at position i is a violation by itself in
// some feasible interleaving of t: an assertion, or a branch to a failure, that
// comes out differently than recorded; a release of a lock that is not held, a
// send on or close of a closed channel, or a Done below zero. It is for small
// traces, as [Races] is.
func Fails(t *trace.Trace, i int) bool {
	p := compiled(t)
	e := &t.Events[i]
	fails := false
	p.visit(func(s *state) bool {
		pos, reason := s.nextOf(int(e.G))
		fails = reason == "" && int(pos) == i && s.isViolation(pos, e)
		return !fails
	})
	return fails
}

// visit calls f with each state that can be come to, once, until it returns
// false. The state is only lent to f.
func (p *program) visit(f func(*state) bool) {
	start := p.initial()
	key := start.appendKey(nil)
	seen := map[string]bool{string(key): true}
	var free []*state // whose memory is used again, which halves the time
	for todo := []*state{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !f(s) {
			return
		}
		clone := func() *state {
			if len(free) == 0 {
				return s.clone()
			}
			c := free[len(free)-1]
			free = free[:len(free)-1]
			c.copyFrom(s)
			return c
		}
		for _, next := range p.successors(s, clone) {
			if key = next.state.appendKey(key[:0]); seen[string(key)] {
				free = append(free, next.state)
				continue
			}
			seen[string(key)] = true
			todo = append(todo, next.state)
		}
		free = append(free, s)
	}
}

// Reaches reports whether some feasible interleaving of t executes all given
// accesses but the last one in this order, and is then about to execute the
// last one. An access after which its goroutine does nothing need not read the
// recorded value: see [Judge.CheckFrom]. It is for small traces, as [Races] is.
func Reaches(t *trace.Trace, accesses []int) bool {
	p := compiled(t)
	type progress struct {
		s     *state
		n     int    // how many are performed
		ended uint64 // goroutines that do nothing more
	}
	seen := map[string]bool{}
	var todo []progress
	add := func(at progress) {
		if key := fmt.Sprint(at.n, at.ended, string(at.s.appendKey(nil))); !seen[key] {
			seen[key] = true
			todo = append(todo, at)
		}
	}
	add(progress{p.initial(), 0, 0})
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		last := accesses[len(accesses)-1]
		if pos, ok := at.s.violationNext(int(t.Events[last].G)); ok && int(pos) == last && at.n == len(accesses)-1 && at.ended>>t.Events[last].G&1 == 0 {
			return true
		}
		for g := range p.forked {
			pos, reason := at.s.nextOf(g)
			k := slices.Index(accesses, int(pos))
			if reason != "" || at.ended>>g&1 != 0 || k > at.n || k == len(accesses)-1 {
				continue // out of turn
			}
			n := at.n
			if k == n {
				n++
				ends := at.s.clone()
				ends.lastOfGoroutine = true
				if ends.step(pos) == "" {
					ends.lastOfGoroutine = false
					add(progress{ends, n, at.ended | 1<<g})
				}
			}
			if next := at.s.clone(); next.step(pos) == "" {
				add(progress{next, n, at.ended})
			}
		}
	}
	return false
}

// appendKey appends to key an encoding of all fields of s. Different states
// have different keys.
func (s *state) appendKey(key []byte) []byte { return appendValue(key, reflect.ValueOf(s).Elem()) }

// appendValue appends to key an encoding of v, without the program.
func appendValue(key []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(key, 1)
		}
		return append(key, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(key, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(key, v.Uint())
	case reflect.Slice, reflect.Array:
		key = binary.AppendUvarint(key, uint64(v.Len()))
		for i := range v.Len() {
			key = appendValue(key, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key = appendValue(key, v.Field(i))
		}
	case reflect.Map:
		var entries []string
		for at := v.MapRange(); at.Next(); {
			entries = append(entries, string(appendValue(appendValue(nil, at.Key()), at.Value())))
		}
		slices.Sort(entries)
		key = binary.AppendUvarint(key, uint64(len(entries)))
		for _, e := range entries {
			key = append(key, e...)
		}
	default:
		if v.Type() != reflect.TypeFor[*program]() {
			panic(fmt.Sprintf("feasible: expected no %v in a state", v.Type()))
		}
	}
	return key
}

// collect adds the pairs of events that are a race in s.
func (p *program) collect(s *state, found map[[2]int]bool) {
	for g := range p.forked {
		a, ok := s.violationNext(g)
		if !ok {
			continue
		}
		for h := range g {
			if b, ok := s.violationNext(h); ok && p.conflict(a, b) {
				found[[2]int{int(min(a, b)), int(max(a, b))}] = true
			}
		}
	}
}

// violationNext returns the event at which goroutine g stands, if it is part of a
// violation should another one be, too.
func (s *state) violationNext(g int) (pos int32, ok bool) {
	pos, reason := s.nextOf(g)
	if reason != "" {
		return none, false
	}
	return pos, s.taints.cannotReach(&s.program.t.Events[pos]) == "" && s.noViolation(pos) == ""
}

// conflict reports whether events of different goroutines are a race if both
// are about to be executed.
func (p *program) conflict(i, j int32) bool {
	a, b := &p.t.Events[i], &p.t.Events[j]
	if a.Kind.IsAccess() && b.Kind.IsAccess() {
		return overlap(a, b) && (writes(a) || writes(b)) && (a.Kind.IsPlain() || b.Kind.IsPlain())
	}
	return p.misuse(i, j) || p.misuse(j, i)
}

// misuse reports whether events i and j are a race of which one is no access.
func (p *program) misuse(i, j int32) bool {
	a, b := &p.t.Events[i], &p.t.Events[j]
	same := a.Obj == b.Obj && a.Obj != 0
	switch {
	case a.Kind == trace.Close:
		return same && (b.Kind == trace.Close || b.Kind == trace.Send || b.Kind == trace.SelectSend)
	case a.Kind == trace.WaitGroupWait && delta(b) > 0:
		return same
	}
	return a.Kind.IsPlain() && usesObject(b.Kind) && overlap(a, b)
}

// usesObject reports whether an operation of kind k accesses the memory of its
// object, so that the access may race with others.
func usesObject(k trace.Kind) bool {
	switch k.Class() {
	case trace.ClassLock:
		return true
	case trace.ClassWaitGroup:
		return k != trace.WaitGroupWaited
	case trace.ClassOnce:
		return k != trace.OnceEnd
	}
	return false
}

func overlap(a, b *trace.Event) bool {
	aStart, aEnd := extent(a)
	bStart, bEnd := extent(b)
	return aStart < bEnd && bStart < aEnd
}

// extent returns the range of addresses of an access. An access without a size,
// such as a sync.Map's, is one of the object as a whole.
func extent(e *trace.Event) (start, end uint64) {
	return e.Obj, e.Obj + min(uint64(max(e.Size, 1)), math.MaxUint64-e.Obj)
}
