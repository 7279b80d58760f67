package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An assertion of which nobody knows what it follows from is looked at where a run
// departs from the recorded one; one on the same line may be solved beside it.
func TestAssertionWithoutFormula(t *testing.T) {
	const locked = "1 acq l\n1 w x=5\n1 rel l\n0 acq l\n0 r x=5\n0 rel l\n"
	for _, test := range []struct {
		name, text, formula string
		want                []string // status and whether runs depart
	}{
		{"after a read", "0 fork 1\n1 begin\n" + locked + "0 branch @100", "", []string{"undecided true"}},
		{"after reads of what is there", "0 w x=5\n0 r x=5\n0 fork 1\n1 begin\n0 branch @100", "", []string{"infeasible false"}},
		{"and with one", "0 w x=0\n0 fork 1\n1 begin\n0 branch @100\n" + locked + "0 branch @100", "(= @9i8 0)", []string{"predicted false"}},
		{"in many rounds", "0 w x=5\n0 fork 1\n1 begin\n" + strings.Repeat("1 r x=5 @9\n1 branch @100\n", 70), "(= @9i8 0)", []string{"infeasible false"}},
		{"in many rounds that others may turn", "0 w x=0\n0 fork 1\n0 fork 2\n1 begin\n2 begin\n2 acq l\n2 w x=5\n2 rel l\n" + strings.Repeat("1 acq l\n1 r x=5 @9\n1 rel l\n1 branch @100\n", 70), "(= @9i8 0)", []string{"predicted false"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, test.text)
			for id, s := range tr.Sites {
				switch s.Line {
				case 100:
					s.Fails, s.Formula = trace.IfTrue, test.formula
				case 9:
					if test.formula != "" {
						s.Key, s.Tracked = 9, true
					}
				}
				tr.Sites[id] = s
			}
			var got []string
			for _, f := range predict(t, tr).Findings {
				if f.Kind == "assertion" {
					got = append(got, fmt.Sprint(f.Status, " ", len(f.Departures) > 0))
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}
