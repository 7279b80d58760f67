package dataflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// The scope of the branch at line 2 of f ends with the first event that is not within; if
// something is within that cannot be left out, it is not known where.
func TestSlice(t *testing.T) {
	for _, test := range []struct {
		events, more string
		end          int
	}{
		{"write 3, call 5", "", 3},
		{"call 5", "", 2},
		{"write 3, acq 4, rel 4, branch 3, call 5", "", 6},
		{"write 3, call 1", "", 3}, // a loop comes round again
		{"write 3, branch 2", "", 3},
		{"write 3", "", -1}, // there is no more
		{"write 3, acq 4, call 5", "", -1},
		{"rel 4, call 5", "", -1},
		{"fork 3, call 5", "", -1},
		{"write 103, call 5", "", 2}, // of another function
		{"write 103, write 3, call 5", "calls", 4},
		{"write 103, call 105", "calls", -1},
	} {
		var b strings.Builder
		b.WriteString("gopredict trace 1\ngoroutine id=0 path=\"main\"\ngoroutine id=1 path=\"main.1\"\n")
		fmt.Fprintf(&b, "site id=%d key=2 func=\"f\" file=\"a.go\" line=2 op=\"branch\" scope=4 iffalse %s\n", trace.SiteRewritten|2, test.more)
		for _, line := range []int{1, 3, 4, 5, 103, 105} {
			fn := "f"
			if line > 100 {
				fn = "g"
			}
			fmt.Fprintf(&b, "site id=%d key=%d func=%q file=\"a.go\" line=%d\n", trace.SiteRewritten|trace.SiteID(line), line, fn, line)
		}
		fmt.Fprintf(&b, "0 acq obj=99\n0 branch val=1 site=%d\n", trace.SiteRewritten|2)
		for _, e := range strings.Split(test.events, ", ") {
			var kind string
			var line int
			_, err := fmt.Sscan(e, &kind, &line)
			require.NoError(t, err)
			fmt.Fprintf(&b, "0 %s obj=1 site=%d\n", kind, trace.SiteRewritten|trace.SiteID(line))
		}
		tr, err := trace.ReadText(strings.NewReader(b.String()))
		require.NoError(t, err)
		end, ok := NewScopes(tr, New(tr)).ScopeEnd(1)
		if !ok {
			end = -1
		}
		assert.Equal(t, test.end, end, "%s %s", test.events, test.more)
	}
}
