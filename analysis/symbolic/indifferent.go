package symbolic

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file knows operations whose order makes no difference. That they come in another order is no
// departure, if a model without the edges between them has none either.

// admitsParallelTests reports whether package testing uses c to let parallel tests begin as others
// end. Its elements are all the same: each test may get any of them.
func (m *Control) admitsParallelTests(c *channel) bool {
	other := func(i int32) bool {
		return !trace.StartsParallelTests(m.t.Sites[m.event(i).Site].Func)
	}
	return !slices.ContainsFunc(c.sends, other) && !slices.ContainsFunc(c.receives, other)
}

// onlyRegisters reports whether a Once, whose function begins at position i, is one with which the
// standard library finds out something about the process, such as its environment. The function has
// no events but those of locks, so that it makes no difference who calls it.
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

// goroot returns the folder of the standard library's sources, by those of package testing; "" if
// the trace has none of its events.
func (m *Control) goroot() string {
	if m.sourceRoot == nil {
		m.sourceRoot = new(string)
		for _, s := range m.t.Sites {
			if root, ok := strings.CutSuffix(s.File, "testing/testing.go"); ok && trace.IsTestingFunction(s.Func) {
				m.sourceRoot = &root
				break
			}
		}
	}
	return *m.sourceRoot
}
