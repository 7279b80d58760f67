package symbolic

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file knows operations of which it is nothing to anybody which one comes first. To come
// in another order is no departure, if there is none either in runs of a model without the
// edges between them.

// admits reports whether c is the channel by which package testing lets parallel tests
// begin as others end. Its elements are all the same: each test may get each of them.
func (m *Control) admitsParallelTests(c *channel) bool {
	other := func(i int32) bool {
		return !trace.AdmitsParallel(m.t.Sites[m.event(i).Site].Func)
	}
	return !slices.ContainsFunc(c.sends, other) && !slices.ContainsFunc(c.receives, other)
}

// registers reports whether the Once whose function begins at position i is one by which
// the standard library finds out something about the process, as the environment: the
// function does nothing that has an event but for locks, and whoever calls it, it is the same.
func (m *Control) onlyRegisters(i int32) bool {
	once := m.event(i)
	if root := m.goroot(); root == "" || !strings.HasPrefix(m.t.Sites[once.Site].File, root) {
		return false
	}
	for range maxRegistered {
		if i = m.next(i); i == none {
			return false
		}
		switch e := m.event(i); {
		case e.Kind == trace.OnceEnd && e.Obj == once.Obj:
			return true
		case e.Kind.Class() != trace.ClassLock && e.Kind.Class() != trace.ClassOnce:
			return false
		}
	}
	return false
}

// goroot returns the folder of the standard library's sources, which is where those of package testing
// are; "" if none of its events is in the trace.
func (m *Control) goroot() string {
	if m.sourceRoot == nil {
		m.sourceRoot = new(string)
		for _, s := range m.t.Sites {
			if root, ok := strings.CutSuffix(s.File, "testing/testing.go"); ok && trace.OfTesting(s.Func) {
				m.sourceRoot = &root
				break
			}
		}
	}
	return *m.sourceRoot
}
