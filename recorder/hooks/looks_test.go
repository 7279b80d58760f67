package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A test that looks at what chance decides is known by that, also where package reflect or maps
// looks for it; and what is sorted, seeded or has one element is no chance.
func TestLooksAreNoted(t *testing.T) { eachRelease(t, testLooksAreNoted) }

func testLooksAreNoted(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestLook")
	found := make(map[string][]string)
	for _, h := range tr.HiddenInputs {
		if h.IsChance() {
			found[h.Test] = append(found[h.Test], h.Source)
		}
	}
	for _, test := range tr.TestNames {
		kind, isLook := strings.CutPrefix(test, "TestLook")
		if !isLook {
			continue
		}
		var want []string
		for prefix, word := range map[string]string{"Map": "maps", "Random": "random", "Processors": "processors", "Pool": "pools", "Clock": "clock"} {
			if strings.HasPrefix(kind, prefix) {
				want = []string{word}
			}
		}
		assert.Equal(t, want, found[test], test)
	}
	assert.NotEmpty(t, found)
}
