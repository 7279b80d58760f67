package trace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestSiteIndex(t *testing.T) {
	tr := &trace.Trace{Sites: make(map[trace.SiteID]trace.Site)}
	ids := []trace.SiteID{0, 1, 63, 1 << 20, trace.SiteRewritten, trace.SiteRewritten | 7, trace.SiteRewritten | 1<<30}
	for k, id := range ids {
		tr.Sites[id] = trace.Site{Line: k + 1}
	}
	index := trace.NewSiteIndex(tr)
	for k, id := range ids {
		assert.Equal(t, k+1, int(index.Of(id).Line), "site %#x", id)
	}
	for _, id := range []trace.SiteID{2, 1 << 19, trace.SiteRewritten | 1, trace.SiteRewritten | 1<<29} {
		assert.Zero(t, *index.Of(id), "site %#x", id)
	}
}
