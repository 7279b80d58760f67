package detect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/detect"
)

// Each call of the run counts once: before the schedule begins, among its steps, or as the last access.
func TestViolates(t *testing.T) {
	p := compiled(t, "(lock unlock)*", "lock", "unlock")
	in := input(t, "0 call o0#1\n0 call o0#2\n0 call o0#1\n0 call o0#2\n0 call o1#1")
	run := []int{0, 1, 2, 3}
	for name, test := range map[string]struct {
		from  int
		steps []int
		last  int
		want  bool
	}{
		"all steps in order":                      {0, []int{0, 1, 2}, 3, false},
		"the first two come first":                {2, []int{2}, 3, false},
		"the first one comes first":               {1, []int{1, 2}, 3, false},
		"all but the last come first":             {3, nil, 3, false},
		"locked twice":                            {0, []int{0}, 2, true},
		"locked twice, the first one comes first": {1, nil, 2, true},
		"another object does not count":           {0, []int{0, 1, 4, 2}, 3, false},
	} {
		v := &detect.Instance{Accesses: []int{test.last}, Property: &p, ObjectCalls: run}
		assert.Equal(t, test.want, v.Violates(in.Trace, test.from, test.steps), name)
	}
	assert.True(t, (&detect.Instance{Accesses: []int{3}}).Violates(in.Trace, 0, nil), "no property")
}
