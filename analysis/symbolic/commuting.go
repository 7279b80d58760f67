package symbolic

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file recognizes operations that commute: what the program does is the same in either order.
// Their other order is no departure if a model without the edges between them has none either.

// admitsParallelTests reports whether package testing uses c to let parallel tests begin when others
// end. All elements of such a channel are equal, so it makes no difference which test gets which.
//
// An example: two tests call t.Parallel and wait for the end of a third one. Which of them receives
// first makes no difference to what either of them does.
func (m *Control) admitsParallelTests(c *channel) bool {
	other := func(i int32) bool {
		return !trace.StartsParallelTests(m.t.Sites[m.event(i).Site].Func)
	}
	return !slices.ContainsFunc(c.sends, other) && !slices.ContainsFunc(c.receives, other)
}

// hasNoEffects reports whether the Once whose function begins at position i belongs to the standard
// library and the function has no events but those of locks: the library reads its environment, for
// example. Then it makes no difference which goroutine calls the function.
func (m *Control) hasNoEffects(i int32) bool {
	once := m.event(i)
	if root := m.goroot(); root == "" || !strings.HasPrefix(m.t.Sites[once.Site].File, root) {
		return false
	}
	for range maxOnceEvents {
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

// goroot returns the folder of the standard library's sources, which is known from a site of package
// testing. It is empty if the trace has no such site.
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
