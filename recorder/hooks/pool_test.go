package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Get comes after the Put of what it returns, or tells that there was nothing: what
// the test before has left is gone.
func TestPoolEvents(t *testing.T) {
	tr := record(t, "^TestPool")
	var got []string
	puts := make(map[uint64]int)
	n, pool := 0, uint64(0)
	for _, e := range tr.Events {
		if tr.Goroutines[e.G].Test != "TestPoolItems" || e.Kind != trace.Post && e.Kind != trace.Await || e.Val == 0 {
			continue
		}
		if pool == 0 {
			pool = e.Val
		}
		assert.Equal(t, pool, e.Val)
		switch {
		case e.Kind == trace.Post:
			n++
			puts[e.Obj] = n
			got = append(got, fmt.Sprintf("put %d", n))
		case e.Flags&trace.FlagFailed != 0:
			assert.Zero(t, puts[e.Obj])
			got = append(got, "none")
		default:
			got = append(got, fmt.Sprintf("get %d", puts[e.Obj]))
		}
	}
	assert.Equal(t, []string{"none", "put 1", "put 2", "get 1", "get 2", "none"}, got)
}

// A replay gets from pools what its plan says.
func TestReplayDecidesWhatPoolsHave(t *testing.T) {
	tr := record(t, "^TestPoolItems$")
	count := make(map[string]int)
	line := func(e trace.Event, item int) string {
		key := fmt.Sprintf("%d %d", e.Kind, tr.Sites[e.Site].Key)
		count[key]++
		return fmt.Sprintf("p 0 %s %d %d\n", key, count[key], item)
	}
	plan := "gopredict-plan 1\norder 01\ntest TestPoolItems\ng 0 TestPoolItems:0\n"
	items := []int{0, 1, 2, 2, 0, 1}
	for _, e := range tr.Events {
		if e.Val != 0 && (e.Kind == trace.Post || e.Kind == trace.Await) && len(items) > 0 {
			plan += line(e, items[0])
			items = items[1:]
		}
	}
	require.Empty(t, items)
	file := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(file, []byte(plan+fmt.Sprintf("s 0 %d 0 1\n", trace.TestEnd)), 0o666))
	_, out, err := run(t, "replay;plan="+file+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestPoolItems$")
	require.NoError(t, err, out)
	assert.Equal(t, []string{"got new", "got second", "got new", "got first"}, regexp.MustCompile(`got \w+`).FindAllString(out, -1))
}
