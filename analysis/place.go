package analysis

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// testsOf returns the tests of accesses, and a note unless it is one test.
func (p *predictor) testsOf(accesses []int) (tests []string, note string) {
	tests = p.tests.Of(accesses)
	outside := slices.Index(tests, "")
	if outside >= 0 {
		tests = slices.Delete(tests, outside, outside+1)
	}
	switch {
	case len(tests) == 0:
		return nil, "all goroutines run outside of any test"
	case outside >= 0:
		return tests, "one of the goroutines runs outside of any test"
	case len(tests) > 1:
		return tests, "the goroutines belong to different tests, " + strings.Join(tests, " and ")
	}
	return tests, ""
}

// where describes event i by its place in the sources.
func (p *predictor) where(i int) string {
	e := &p.t.Events[i]
	s, ok := p.t.Sites[e.Site]
	if !ok {
		return e.Kind.Spec().Phrase + " at an unknown place"
	}
	return fmt.Sprintf("%s at %s:%d", e.Kind.Spec().Phrase, path.Base(strings.ReplaceAll(s.File, `\`, "/")), s.Line)
}
