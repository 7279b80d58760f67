package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// Who takes over, by what it has read, what another goroutine has added to a WaitGroup comes after
// the Add in each run: then nothing but a run that departs brings the Done too early.
func TestDonesAfterAdds(t *testing.T) {
	const handed = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 acq l\n1 add g#1\n1 w x=5\n1 rel l\n2 acq l\n2 r x=%d\n2 rel l\n2 add g#-1"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"after what was handed over", fmt.Sprintf(handed, 5), []string{"undecided true"}},
		{"after what was there before", strings.Replace(fmt.Sprintf(handed, 5), "0 fork 1", "0 w x=5\n0 fork 1", 1), []string{"predicted false"}},
		{"of which there are too few", strings.Replace(fmt.Sprintf(handed, 5), "0 fork 2", "0 fork 2\n0 fork 3\n3 begin\n3 add g#1", 1) + "\n2 add g#-1", []string{"undecided true", "predicted false"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range ofKinds(t, tracetest.Parse(t, test.text), bug.WaitGroup).Findings {
				got = append(got, fmt.Sprint(f.Status, " ", f.Refuted))
			}
			assert.Equal(t, test.want, got)
		})
	}
}
