package evidence

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Objects of one name get numbers, by which they go by their other names, too; those of the recorded run
// get the ones that they have in the replay. Where only one has a name there is no number.
func TestObjectsAreToldApart(t *testing.T) {
	const recorded = "0 fork 1\n0 make a\n0 make b\n0 send a\n1 begin\n1 recv a\n1 recv b"
	// As replayed, they are made in the other order.
	const replayed = "0 fork 1\n0 make x\n0 make y\n0 send x\n1 begin\n1 recv x\n1 recv y"
	first, second := runOf(tracetest.Parse(t, recorded), nil, nil), runOf(tracetest.Parse(t, replayed), nil, nil)
	at := func(r *run, k trace.Kind, n int) uint64 {
		for i := range r.Events {
			if e := &r.Events[i]; e.Kind == k {
				if n--; n < 0 {
					return e.Obj
				}
			}
		}
		t.Fatal("the trace has no such event")
		return 0
	}
	type named struct {
		expr string
		run  *run
		nth  int // receive, from 0
	}
	for name, c := range map[string]struct {
		names []named
		want  []int
	}{
		"two of one name":        {[]named{{"c.reset", second, 0}, {"c.reset", second, 1}}, []int{1, 2}},
		"one":                    {[]named{{"c.reset", second, 0}, {"c.reset", second, 0}}, []int{0, 0}},
		"two names":              {[]named{{"c.reset", second, 0}, {"c.stop", second, 1}}, []int{0, 0}},
		"one by two names":       {[]named{{"c.reset", second, 0}, {"d.reset", second, 1}, {"c.reset", second, 1}, {"d.reset", second, 0}}, []int{1, 2, 2, 1}},
		"as recorded":            {[]named{{"c.reset", first, 1}, {"c.reset", second, 0}, {"c.reset", second, 1}}, []int{1, 2, 1}},
		"recorded alone":         {[]named{{"c.reset", first, 0}, {"c.reset", first, 1}}, []int{1, 2}},
		"one recorded, replayed": {[]named{{"c.reset", first, 0}, {"c.reset", second, 0}}, []int{0, 0}},
	} {
		b := builder{Evidence: new(Evidence), recorded: first, replayed: second, named: new(objects)}
		f := report.Finding{Accesses: make([]report.Access, len(c.names))}
		for k, n := range c.names {
			f.Accesses[k] = report.Access{Expr: n.expr, Object: b.named.note(n.run, trace.Recv, at(n.run, trace.Recv, n.nth))}
		}
		b.tellApart(&f)
		var found []int
		for _, a := range f.Accesses {
			found = append(found, a.Object)
		}
		assert.Equal(t, c.want, found, name)
		for _, o := range f.Objects {
			assert.NotNil(t, o.MadeAt, name)
		}
	}
	assert.Zero(t, new(objects).note(first, trace.Read, 1), "variables are not told apart")
	assert.Equal(t, "c.reset #2", report.Place{Expr: "c.reset", Object: 2}.Name())
}
