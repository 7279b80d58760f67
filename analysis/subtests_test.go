package analysis_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// That a run may depart in one subtest takes no proof back of another one, unless that uses what the
// first one changes.
func TestSubtestsOfTheirOwn(t *testing.T) {
	const (
		begin   = "0 w x=5\n0 fork 1\n0 fork 2\n1 testbegin #1\n2 testbegin #2\n2 fork 3\n3 begin\n"
		departs = "3 acq m\n3 w y=1\n3 rel m\n2 acq m\n2 r y=1\n2 rel m\n"
		holds   = "1 r x=5 @9\n1 branch @100\n"
	)
	for _, test := range []struct{ name, text, want string }{
		{"that have nothing in common", begin + departs + holds, "infeasible"},
		{"of which one uses what both look at", begin + departs + "2 r x=5\n" + holds, "infeasible"},
		{"of which one changes what the other looks at", begin + departs + "2 acq l\n2 w v=1\n2 rel l\n1 acq l\n1 rel l\n" + holds, "undecided"},
		{"of which the first one changes memory that the other looks at", "0 w x=5\n0 fork 1\n0 fork 2\n1 testbegin #1\n2 testbegin #2\n1 fork 3\n3 begin\n" +
			"3 acq m\n3 w y=1\n3 rel m\n1 acq m\n1 r y=1\n1 rel m\n1 w v=1\n2 r v=1\n2 r x=5 @9\n2 branch @100\n", "undecided"},
		{"of which one changes memory that the other has looked at", begin + departs + "1 r v=0\n2 w v=1\n" + holds, "undecided"},
		{"of which one looks at memory that the other has changed", begin + departs + "1 w v=1\n2 r v=1\n" + holds, "infeasible"},
		{"of which one changes what a third uses that the other waits for", begin + "0 fork 4\n4 testbegin #3\n2 close c\n4 recv c\n4 recvd c\n4 close d\n1 recv d\n1 recvd d\n" + departs + holds, "undecided"},
		{"of which one is in the other", "0 w x=5\n0 fork 1\n1 testbegin #1\n1 fork 2\n2 testbegin #2\n2 fork 3\n3 begin\n" + departs + holds, "undecided"},
		{"of which one is no subtest", "0 w x=5\n0 fork 1\n0 fork 2\n1 testbegin #1\n2 begin\n2 fork 3\n3 begin\n" + departs + holds, "undecided"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := asserting(t, test.text, "(= @9i8 0)")
			for _, e := range tr.Events {
				if e.Kind == trace.Fork {
					tr.Goroutines[e.Obj].Parent = e.G
				}
			}
			var got []string
			for _, f := range predict(t, tr).Findings {
				if f.Kind == "assertion" {
					got = append(got, fmt.Sprint(f.Status))
				}
			}
			assert.Equal(t, []string{test.want}, got)
		})
	}
}
