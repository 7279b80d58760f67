package sources

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each measured page says of which sources its figures are. Those that are of older ones are
// told, with -v, and are no mistake: what they say of a commit stays true. A release has none.
func TestPagesSayWhatTheyMeasured(t *testing.T) {
	stale, err := readPages("../../..")
	assert.NoError(t, err)
	for _, p := range stale {
		t.Log(p)
	}
}
