package tracetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// The unserializable triples are those of Lu et al. (AVIO, 2006), of accesses in a
// marked region and one of another goroutine in between.
func TestUnserializableTriples(t *testing.T) {
	kinds := map[byte]trace.Kind{'r': trace.Read, 'w': trace.Write}
	for text, want := range map[string]bool{
		"rwr": true, "wwr": true, "wrw": true, "rww": true,
		"rrr": false, "rrw": false, "wrr": false, "www": false,
	} {
		tr := &trace.Trace{Events: []trace.Event{
			{Kind: trace.RegionBegin, G: 1}, {Kind: kinds[text[0]], G: 1, Obj: 8}, {Kind: trace.Read, G: 1, Obj: 16}, {Kind: kinds[text[1]], G: 2, Obj: 8},
			{Kind: kinds[text[2]], G: 1, Obj: 8}, {Kind: trace.RegionEnd, G: 1}, {Kind: kinds[text[2]], G: 1, Obj: 8},
		}}
		regions, triples := UnserializableTriples(tr)
		require.Equal(t, 1, regions)
		if want {
			require.Equal(t, [][3]int{{1, 3, 4}}, triples, text)
		} else {
			require.Empty(t, triples, text)
		}
	}
}
