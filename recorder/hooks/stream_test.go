package hooks

import (
	"strings"
	"testing"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/stretchr/testify/require"
)

// What is read waits for what has been written to the other end, write by write,
// and a connection that is accepted for the one that was asked for.
func TestStreams(t *testing.T) { eachRelease(t, testStreams) }

func testStreams(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestStream")
	seen := make(map[string]string)
	number := make(map[string]map[uint64]string)
	for _, e := range tr.Events {
		const first = 1 << 62 // see predictrt's newObject
		if e.Obj < first || e.Obj >= 2*first {
			continue
		}
		test := tr.Goroutines[e.G].Test
		if number[test] == nil {
			number[test] = make(map[uint64]string)
		}
		if number[test][e.Obj] == "" {
			number[test][e.Obj] = string(rune('a' + len(number[test])))
		}
		word := e.Kind.String() + " " + number[test][e.Obj]
		if e.Val != 0 {
			word += string(rune('0' + e.Val))
		}
		seen[test] += word + ", "
	}
	connection := "send a, sent a1, recv a, recvd a1, "
	require.Equal(t, map[string]string{
		"TestStreamPipe":   "post a, post b, await a, await b, post c, await c, ",
		"TestStreamSocket": connection + "post b, post c, await b, await c, post d, await d, post e, ",
		"TestStreamSplice": connection + "send b, sent b1, recv b, recvd b1, post c, await c, " +
			"post d, post e, await d, await e, post f, post g, post h, post i, ",
		"TestStreamQueue": "send a, sent a1, send a, sent a2, recv a, recvd a1, recv a, recvd a2, ",
	}, seen)
}

// What a goroutine is told of a file comes after what another one does to it: that closes it, or
// sets its deadline.
func TestHalts(t *testing.T) { eachRelease(t, testHalts) }

func testHalts(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestHalts$")
	posted := make(map[uint64]int) // by what, the step
	halted := make(map[int]string) // by the lines of who has done that
	for i, e := range tr.Events {
		switch e.Kind {
		case trace.Post:
			posted[e.Obj] = i
		case trace.Await:
			at, is := posted[e.Obj]
			if its := tr.Sites[tr.Events[at].Site]; is && tr.Events[at].G != e.G && strings.HasSuffix(its.Func, ".TestHalts") {
				halted[its.Line] = tr.Sites[e.Site].Func
			}
		}
	}
	require.Len(t, halted, 2, "expected one that closes and one that sets a deadline, found %v", halted)
	for _, who := range halted {
		require.Equal(t, "selftest.TestHalts.func1.1", who)
	}
}
