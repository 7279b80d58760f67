package schedule

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/causality"
)

// maxAsked bounds the properties of which the planner keeps what it was told.
const maxKnownAnswers = 1 << 10

// An answer is what the causality graph of a property tells. The methods for one target, and recipes
// that are made again, ask for the same ones.
type answer struct {
	edges    []causality.Edge // nil if the property is not possible
	barrier  int32
	possible bool // edges is known
	barred   bool // barrier is known
}

// answers are what causality graphs tell of the properties that were asked for. They are safe for
// concurrent use.
type answers struct {
	graphs *causality.Model
	mu     sync.Mutex
	known  map[string]answer
}

func newAnswers(graphs *causality.Model) *answers {
	return &answers{graphs: graphs, known: make(map[string]answer)}
}

// ask returns the answer for a property, after find has added what it finds out if it is not known.
func (a *answers) ask(prop causality.Property, isKnown func(*answer) bool, find func(*answer)) answer {
	key := keyOf(prop)
	a.mu.Lock()
	found, ok := a.known[key]
	a.mu.Unlock()
	if ok && isKnown(&found) {
		return found
	}
	find(&found)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) == maxKnownAnswers {
		clear(a.known)
	}
	a.known[key] = found
	return found
}

// keyOf is the same for the same property.
func keyOf(prop causality.Property) string {
	key := make([]byte, 0, 4*(1+2*len(prop.Edges)+len(prop.Needs)))
	add := func(i int) { key = binary.LittleEndian.AppendUint32(key, uint32(i)) }
	add(len(prop.Edges))
	for _, e := range prop.Edges {
		add(e.From)
		add(e.To)
	}
	for _, i := range prop.Needs {
		add(i)
	}
	return string(key)
}

// possible is [causality.Model.Possible].
func (a *answers) possible(prop causality.Property) ([]causality.Edge, bool) {
	found := a.ask(prop, func(f *answer) bool { return f.possible }, func(f *answer) {
		f.edges, _ = a.graphs.Possible(prop)
		f.possible = true
	})
	return found.edges, found.edges != nil
}

// barrier returns a position all before which is before a causality barrier. In
// the recorded run none of that is after what comes later, so that it can happen
// as it did, with all that was read.
func (a *answers) barrier(prop causality.Property) int32 {
	return a.ask(prop, func(f *answer) bool { return f.barred }, func(f *answer) {
		f.barrier, f.barred = slices.Min(a.graphs.Barrier(prop)), true
	}).barrier
}
