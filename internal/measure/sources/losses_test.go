package sources

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }

func TestNoRaceIsLost(t *testing.T) {
	j := run.New(t.Context(), "losses", t.TempDir())
	for _, dir := range []string{writeRandom(j, 7, 60), "../../../testdata/applications/rwcache"} {
		c := compareSharing(j, dir)
		assert.Empty(t, c.lost)
		assert.NotZero(t, c.candidates)
		assert.Less(t, c.kept, c.sites)
		assert.NotZero(t, c.quiet)
	}
}
