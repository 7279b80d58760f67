package feasible_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What somebody has made up is a run, or not.
func TestRan(t *testing.T) {
	const forks = "0 begin; 0 fork obj=1; 0 fork obj=2; 1 begin; 2 begin; "
	for _, c := range []struct{ events, reason string }{
		{"1 acq obj=0x90; 1 write obj=0x10 size=8 val=3 site=1 value; 1 rel obj=0x90; 2 acq obj=0x90; 2 read obj=0x10 size=8 val=3 site=1 value; 2 rel obj=0x90", ""},
		{"1 write obj=0x10 size=8 val=3 site=1 value; 2 read obj=0x10 size=8 val=4 site=1 value", "expected to read 0x3, which was left there, found 0x4"},
		{"2 read obj=0x10 size=8 val=4 site=1 value; 1 write obj=0x10 size=8 val=3 site=1 value; 2 read obj=0x10 size=8 val=3 site=1 value", ""},
		{"1 acq obj=0x90; 2 acq obj=0x90; 1 rel obj=0x90; 2 rel obj=0x90", "lock"},
		{"1 write obj=0x10 size=8 val=3 site=1 value; 2 read obj=0x10 size=8 val=3 site=5 value; 2 branch val=1 site=6", ""},
		{"1 write obj=0x10 size=8 val=3 site=1 value; 2 read obj=0x10 size=8 val=3 site=5 value; 2 branch site=6", "as its formula says"},
		{"1 write obj=0x10 size=8 val=3 site=1 value; 2 armw obj=0x10 size=8 val=4 site=7 value; 2 branch val=1 site=8", ""},
		{"1 write obj=0x10 size=8 val=3 site=1 value; 2 armw obj=0x10 size=8 val=6 site=7 value; 2 branch site=8", "expected to read 0x3, which was left there, found 0x5"},
	} {
		text := "gopredict trace 1\nsite id=1 file=\"a.go\" line=1\n" +
			"site id=5 key=5 file=\"a.go\" line=5 op=\"read\" tracked\n" +
			"site id=6 key=6 file=\"a.go\" line=6 op=\"branch\" failsfalse formula=\"(= @5i8 3)\"\n" +
			"site id=7 key=7 file=\"a.go\" line=7 op=\"atomic\" tracked formula=\"(+ _ 1)\"\n" +
			"site id=8 key=8 file=\"a.go\" line=8 op=\"branch\" failsfalse formula=\"(= @7i8 4)\"\n" +
			"goroutine id=0 path=\"main\"\ngoroutine id=1 path=\"main.1\"\ngoroutine id=2 path=\"main.2\"\n"
		tr, err := trace.ReadText(strings.NewReader(text + strings.ReplaceAll(forks+c.events, "; ", "\n")))
		require.NoError(t, err)
		if err := feasible.Ran(tr); c.reason == "" {
			assert.NoError(t, err, c.events)
		} else {
			assert.ErrorContains(t, err, c.reason, c.events)
		}
	}
}
