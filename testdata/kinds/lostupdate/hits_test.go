package hits

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisits(t *testing.T) {
	var p Page
	var all sync.WaitGroup
	for range 2 {
		all.Go(p.Visit)
	}
	all.Wait()
	require.Equal(t, int64(2), p.Visits())
}
