package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/tracetest"
)

func TestUnlockOfUnlocked(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		name, text string
		want       []string // status and position
	}{
		{"handed over", "1 acq l\n2 rel l", []string{"predicted 5"}},
		{"handed over by a message", "1 acq l\n1 post p\n2 await p\n2 rel l", []string{"infeasible 7"}},
		{"to the next", "1 acq l\n1 post p\n2 await p\n2 rel l\n1 acq l\n1 rel l", []string{"infeasible 7", "infeasible 9"}},
		{"each its own", "1 acq l\n1 rel l\n2 acq l\n2 rel l", nil},
		{"for readers", "1 racq l\n2 rrel l", []string{"predicted 5"}},
		{"and a reader that stays", "1 acq l\n2 rel l\n1 racq l\n2 racq l\n2 rrel l", []string{"predicted 5", "infeasible 8"}},
		{"where readers come later", "1 racq l\n1 post p\n2 await p\n2 rrel l", []string{"infeasible 7"}},
		{"nobody is seen to lock", "1 rel l\n1 acq l\n2 rel l", nil},
		{"nobody is seen to unlock", "1 acq l\n1 acq l\n2 rel l", nil},
		{"again and again", strings.Repeat("1 acq l @10\n1 post p @11\n2 await p @12\n2 rel l @13\n2 post q @14\n1 await q @15\n", 100), []string{"infeasible 7"}},
		{"again and again, and another one", strings.Repeat("1 acq l @10\n1 post p @11\n2 await p @12\n2 rel l @13\n2 post q @14\n1 await q @15\n", 100) + "1 acq m @16\n2 rel m @17", []string{"infeasible 7", "predicted 605"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range predict(t, tracetest.Parse(t, forks+test.text)).Findings {
				if f.Kind == "lock-misuse" {
					got = append(got, fmt.Sprint(f.Status, " ", f.Accesses[0]))
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}
