package feasible_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
)

// parse makes a trace of events in the text form, separated by semicolons.
// Goroutine 0 forks 1, 2 and 3 where the events say so. Site 1 is any site,
// site 2 one whose reads are Data, site 3 one of updates. R(x) and W(x) stand for accesses of 8 bytes
// at x.
func parse(t testing.TB, events string) *trace.Trace {
	t.Helper()
	text := "gopredict trace 1\nsite id=1 file=\"a.go\" line=1\nsite id=2 file=\"a.go\" line=2 col=1 op=\"read\" data\n" +
		"site id=3 file=\"a.go\" line=3 col=1 op=\"read\" update\n" +
		"goroutine id=0 path=\"main\"\ngoroutine id=1 path=\"main.1\"\ngoroutine id=2 path=\"main.2\"\ngoroutine id=3 path=\"main.3\"\n"
	tr, err := trace.ReadText(strings.NewReader(text + strings.ReplaceAll(events, "; ", "\n")))
	require.NoError(t, err)
	require.NoError(t, trace.Validate(tr))
	return tr
}

// positions turns a sequence of goroutine numbers into the schedule in which
// they take their next events, and stand before theirs.
func positions(tr *trace.Trace, order, stand string) (steps, violation []int) {
	next := map[trace.GID]int{}
	take := func(g trace.GID) int {
		for ; next[g] < len(tr.Events); next[g]++ {
			if tr.Events[next[g]].G == g {
				next[g]++
				return next[g] - 1
			}
		}
		return len(tr.Events) // there is none
	}
	for _, c := range strings.ReplaceAll(order, " ", "") {
		steps = append(steps, take(trace.GID(c-'0')))
	}
	for _, c := range stand {
		violation = append(violation, take(trace.GID(c-'0')))
	}
	return steps, violation
}

const fork2 = "0 fork obj=1; 0 fork obj=2; 1 begin; 2 begin; "

func TestCheck(t *testing.T) {
	const (
		locked  = fork2 + "1 acq obj=9; 1 rel obj=9; 1 write obj=16 size=8; 2 acq obj=9; 2 read obj=16 size=8 site=2; 2 rel obj=9"
		rw      = fork2 + "1 racq obj=9; 1 rrel obj=9; 2 racq obj=9; 2 rrel obj=9; 0 acq obj=9; 0 rel obj=9"
		guarded = fork2 + "1 write obj=16 size=8 val=7 value; 1 acq obj=9; 1 write obj=32 size=1 val=1 value; 1 rel obj=9; " +
			"2 acq obj=9; 2 read obj=32 size=1 val=1 value site=2; 2 rel obj=9; 2 branch val=1; 2 read obj=16 size=8 val=7 value"
		counter = fork2 + "1 acq obj=9; 1 read obj=16 size=8 site=2 value; 1 write obj=16 size=8 val=1 value; 1 rel obj=9; 1 write obj=32 size=8; " +
			"2 acq obj=9; 2 read obj=16 size=8 site=2 val=1 value; 2 write obj=16 size=8 val=2 value; 2 rel obj=9; 2 write obj=32 size=8"
		unbuffered = fork2 + "1 send obj=5; 2 recv obj=5; 2 recvd obj=5 val=1; 1 sent obj=5 val=1"
		buffered   = fork2 + "1 send obj=5 size=1; 1 sent obj=5 val=1 size=1; 1 send obj=5 size=1; " +
			"2 recv obj=5 size=1; 2 recvd obj=5 val=1 size=1; 1 sent obj=5 val=2 size=1; 2 recv obj=5 size=1; 2 recvd obj=5 val=2 size=1"
		senders = fork2 + "1 send obj=5 size=9; 1 sent obj=5 val=1 size=9; 2 send obj=5 size=9; 2 sent obj=5 val=2 size=9"
		closing = fork2 + "1 send obj=5 size=1; 1 sent obj=5 val=1 size=1; 1 close obj=5 size=1; " +
			"2 recv obj=5 size=1; 2 recvd obj=5 val=1 size=1; 2 recv obj=5 size=1; 2 recvd obj=5 size=1"
		overtake   = fork2 + "1 recv obj=5 size=2; 0 send obj=5 size=2; 0 sent obj=5 val=1 size=2; 0 close obj=5 size=2; 1 recvd obj=5 val=1 size=2; 2 recv obj=5 size=2; 2 recvd obj=5 size=2"
		panics     = fork2 + "1 close obj=5; 2 send obj=5; 2 panic"
		strays     = fork2 + "0 close obj=5; 1 recv obj=5; 1 recvd obj=5; 2 send obj=5; 2 panic"
		panicsRoom = fork2 + "1 close obj=5 size=1; 2 send obj=5 size=1; 2 panic"
		reclose    = fork2 + "1 close obj=5; 1 branch; 2 close obj=5; 2 panic"
		made       = "0 make obj=5 size=1; " + fork2 + "1 send obj=5 size=1; 1 sent obj=5 size=1 val=1"
		late       = fork2 + "1 make obj=5 size=1; 2 send obj=5 size=1; 2 sent obj=5 size=1 val=1"
		sel        = fork2 + "2 select val=2; 1 send obj=5; 1 sent obj=5 val=1; 2 selected val=2; 2 recvd obj=5 val=1"
		ticker     = fork2 + "1 recv obj=5 size=1; 1 recvd obj=5 val=1 size=1; 2 recv obj=5 size=1; 2 recvd obj=5 val=2 size=1"
		wg         = "0 add obj=7 val=2; " + fork2 + "1 add obj=7 val=0xffffffffffffffff; 2 add obj=7 val=0xffffffffffffffff; 0 wgwait obj=7; 0 wgwaited obj=7"
		wgFast     = "0 wgwait obj=7; 0 fork obj=1; 1 begin; 0 wgwaited obj=7; 1 add obj=7 val=1"
		negative   = fork2 + "1 add obj=7 val=1; 1 branch; 2 add obj=7 val=0xffffffffffffffff; 2 branch"
		once       = fork2 + "1 oncebegin obj=8; 1 write obj=16 size=8; 1 onceend obj=8; 1 oncedone obj=8; 2 oncedone obj=8; 2 read obj=16 size=8"
		onceDies   = fork2 + "1 oncebegin obj=8; 1 panic; 2 oncedone obj=8"
		cond       = fork2 + "1 wait obj=6; 2 wait obj=6 val=1; 0 signal obj=6 val=1; 1 wake obj=6; 0 broadcast obj=6 val=1 size=1; 2 wake obj=6 val=1"
		token      = fork2 + "1 post obj=4; 2 post obj=4; 0 await obj=4; 1 post obj=4"
		everything = fork2 + "1 read obj=16 size=8; 0 await; 2 read obj=16 size=8"
		atomic     = fork2 + "1 armw obj=16 size=4 val=1 value; 2 armw obj=16 size=4 val=2 value"
		cas        = fork2 + "1 astore obj=16 size=4 val=1 value; 2 armw obj=16 size=4 val=1 value failed; 2 aload obj=16 size=4 val=1 value; 1 astore obj=16 size=4 val=1 value"
		syncMap    = fork2 + "1 armw obj=16; 2 aload obj=16"
		bytes      = fork2 + "1 write obj=16 size=8 val=0x0102030405060708 value; 2 write obj=18 size=2 val=0xffff value; 1 read obj=20 size=4 val=0x01020304 value; 1 read obj=16 size=4 val=0xffff0708 value"
		same       = fork2 + "1 write obj=16 size=2 val=0x0101 value; 2 write obj=17 size=1 val=1 value; 0 read obj=16 size=2 val=0x0101 value"
		big        = fork2 + "1 write obj=16 size=100; 2 read obj=40 size=8 value val=5"
		initial    = fork2 + "1 read obj=16 size=8 val=5 value; 2 write obj=16 size=8 val=5 value; 2 branch; 2 write obj=16 size=8 val=6 value"
		sends      = "0 write obj=16 size=8 val=1 value; " + fork2 + "1 read obj=16 size=8 val=1 value site=2; 1 send obj=5 size=1; 1 sent obj=5 size=1 val=1; " +
			"0 recv obj=5 size=1; 0 recvd obj=5 size=1 val=1; 0 branch; 2 write obj=16 size=8 val=2 value"
		pointer = fork2 + "1 write obj=16 size=8 val=0xc000010000 value; 1 write obj=0xc000010008 size=8; " +
			"2 read obj=16 size=8 site=2 val=0xc000010000 value; 2 write obj=0xc000011000 size=8; 2 write obj=0xc000010008 size=8; 2 acq obj=0xc000010000"
		handed = fork2 + "1 acq obj=9; 2 rel obj=9; 1 racq obj=9; 2 rrel obj=9"
		update = fork2 + "1 acq obj=9; 1 read obj=16 size=8 site=3 value; 1 write obj=16 size=8 val=1 value; 1 rel obj=9; 1 branch; 1 write obj=32 size=8; " +
			"2 acq obj=9; 2 read obj=16 size=8 site=3 val=1 value; 2 write obj=16 size=8 val=2 value; 2 rel obj=9; 2 branch; 2 write obj=32 size=8; " +
			"0 read obj=16 size=8 val=2 value; 1 write obj=16 size=8 val=2 value"
		half    = fork2 + "1 write obj=16 size=8; 2 read obj=16 size=8 site=3; 2 branch; 2 write obj=16 size=8"
		aside   = fork2 + "1 write obj=16 size=8; 2 read obj=16 size=8 site=3; 2 write obj=24 size=8"
		operand = fork2 + "1 write obj=16 size=8; 1 write obj=24 size=8; 2 read obj=16 size=8 site=3; 2 read obj=24 size=8 site=2; 2 write obj=16 size=8; 2 branch"
		widths  = fork2 + "1 write obj=18 size=2; 2 read obj=16 size=8 site=3; 2 write obj=16 size=8; 2 branch; 0 read obj=22 size=1"
		adds    = fork2 + "1 armw obj=16 size=4 val=1 value site=3; 2 armw obj=16 size=4 val=2 value site=3; 2 branch; 1 aload obj=16 size=4 val=2 value; 1 armw obj=16 size=4 val=3 value; 2 armw obj=16 size=4 val=3 value failed site=3"
		forks   = "0 fork obj=1; 1 begin; 0 read obj=16 size=8 value site=2; 0 fork obj=2; 2 begin; 2 branch; 1 write obj=16 size=8 val=1 value"
	)
	for _, tt := range []struct {
		name, events, order, stand string
		err                        string // "" if feasible
	}{
		{"nothing", locked, "", "0", ""},
		{"swapped sections", locked, "00 12 222 111", "", ""},
		{"both in the section", locked, "00 12 12", "", "infeasible: main.2 lock: expected the lock to be free, found it held"},
		{"stand at a race", locked, "00 12 11 2", "12", ""},
		{"before the fork", locked, "0 2", "", "expected the goroutine's fork first"},
		{"stand before the fork", locked, "", "1", "infeasible: main.1 begin: expected the goroutine's fork first"},
		{"past the end", locked, "000", "", "expected a position below 10"},

		{"two readers", rw, "00 12 12 12", "0", ""},
		{"writer with reader", rw, "00 12 1 0", "", "found it held by 1 readers"},
		{"unlock of what is not locked", handed, "00 12", "2", ""},
		{"unlock of what is locked", handed, "00 12 1", "2", "expected the lock to be free, found it held"},
		{"unlock of what is read", handed, "00 12 121", "2", "expected the lock to be free, found it held"},
		{"unlock among others", handed, "00 12 1", "12", ""},
		{"reader with writer", rw, "00 12 0 1", "", "expected the lock to be free for readers"},

		{"flag seen", guarded, "00 12 1111 2222", "2", ""},
		{"flag not seen", guarded, "00 12 222", "1", ""},
		{"beyond the flag", guarded, "00 12 2222", "", "infeasible: main.2 condition: expected the recorded outcome, found that it may depend on main.2 read at a.go:2"},

		{"counter swapped", counter, "00 12 22222 1111", "1", ""},
		{"counter, last writes", counter, "00 12 2222 1111", "12", ""},

		{"update swapped", update, "00 12 22222 11111", "12", ""},
		{"update swapped and read", update, "00 12 22222 11111 0", "", "expected the recorded value, found what depends on main.1 read at a.go:3, which reads something else than recorded"},
		{"update swapped and overwritten", update, "00 12 22222 11111 11 0", "", ""},
		{"update without a store", half, "00 12 2", "", "expected to read from main.1 write, found the initial value"},
		{"update of other memory", aside, "00 12 2", "", "expected to read from main.1 write, found the initial value"},
		{"update with another operand", operand, "00 12 1 222", "1", ""},
		{"branch after another operand", operand, "00 12 1 2222", "", "may depend on main.2 read at a.go:2"},
		{"update of a part", widths, "00 12 222", "1", ""},
		{"part of an update", widths, "00 12 222 0", "", "found what depends on main.2 read at a.go:3"},
		{"adds swapped", adds, "00 12 22 1", "", ""},
		{"adds swapped, then a load", adds, "00 12 22 11", "", "found what depends on main.1 atomic update at a.go:3"},
		{"load between adds", adds, "00 12 1 1", "", "expected to read 0x2, found 0x1 of main.1 atomic update at a.go:3"},
		{"nothing stored", adds, "00 12 1 222", "", "expected to read 0x3, found 0x2 of main.2 atomic update at a.go:3"},

		{"rendezvous", unbuffered, "00 12 21 12", "", ""},
		{"sent before the receive", unbuffered, "00 12 1 1", "", "expected receive number 1 of the channel to have begun (capacity 0), found 0"},
		{"received before the send", unbuffered, "00 12 2 2", "", "expected send number 1 of the channel to have begun, found 0"},
		{"second waits for room", buffered, "00 12 11 1 22 1", "2", ""},
		{"second does not wait", buffered, "00 12 11 1 1", "", "expected receive number 1 of the channel to have begun (capacity 1), found 0"},
		{"second received first", buffered, "00 12 11 2 2 2 2", "", "expected send number 2 of the channel to have begun, found 1"},
		{"senders swapped", senders, "00 12 2 1", "", "expected send number 1 of the channel next, found number 2"},
		{"closed after the element", closing, "00 12 111 2222", "", ""},
		{"closed seen too early", closing, "00 12 11 22 2 2", "", "expected a closed channel, found it open"},
		{"closed with the element in it", overtake, "00 12 000 2 2 1", "", "expected an empty channel, found element 1 for this receive"},
		{"closed receiver in front", overtake, "00 12 2 1 000 1", "", "expected element 1 to pass as recorded, found that another operation came before"},
		{"waits until closed", overtake, "00 12 1 2 000 12", "", ""},
		{"panics", panics, "00 12 2 1 2", "", ""},
		{"does not panic", panics, "00 12 2 2", "", "expected a send on a closed channel, found it open"},
		{"send meets receive", strays, "00 12 1 2", "", "expected the channel to be closed, found that this operation completes one that waits"},
		{"room before the close", panicsRoom, "00 12 2 1 2", "", "expected the send to wait until the channel is closed, found room for its element"},
		{"first close panics", reclose, "00 12 2 1", "", "expected an open channel, found it closed"},
		{"made", made, "0 00 1 1 1", "", ""},
		{"made too late", late, "00 12 2", "", "expected the channel to be made before"},
		{"select", sel, "00 12 1 2 1 22", "", ""},
		{"select without a partner", sel, "00 12 2 2 2", "", "expected send number 1 of the channel to have begun, found 0"},
		{"ticker", ticker, "00 12 11 22", "", ""},
		{"ticks swapped", ticker, "00 12 2", "", "expected receive number 1 of the channel next, found number 2"},

		{"WaitGroup", wg, "0 00 12 0 1 2 0", "", ""},
		{"WaitGroup above zero", wg, "0 00 12 0 1 0", "", "expected the WaitGroup's counter to be zero, found 1"},
		{"WaitGroup was zero", wgFast, "0 0 1 1 0", "", ""},
		{"WaitGroup was not zero", wgFast, "0 0 1 0 1", "", ""},
		{"WaitGroup below zero", negative, "00 12 2", "", "expected a counter from zero up, found -1"},

		{"Once", once, "00 12 111 2 1", "2", ""},
		{"Once too early", once, "00 12 2", "", "expected Once's function to have run, found that it has not begun"},
		{"Once half done", once, "00 12 11 2", "", "expected Once's function to have returned, found it running"},
		{"Once that panics", onceDies, "00 12 11 2", "", ""},

		{"woken in order", cond, "00 12 12 0 1 0 2", "", ""},
		{"one signal for two", cond, "00 12 12 0 1 2", "", "expected a signal or broadcast for this waiter, found none (1 wait)"},
		{"the other first", cond, "00 12 21 0 2 0 1", "", ""},

		{"posts in another order", token, "00 12 2 1 0", "", ""},
		{"everything before", everything, "00 12 0", "", "expected main.1 read before"},
		{"what comes after can come before", everything, "00 112 2 0", "", ""},
		{"one post is enough", token, "00 12 1 1 0", "", "expected 2 posts of the token before, found 1"},

		{"atomics swapped", atomic, "00 12 2", "", "expected to read from main.1 atomic update, found the initial value"},
		{"compare-and-swap", cas, "00 12 1 1 22", "", ""},
		{"compare-and-swap first", cas, "00 12 2", "", "expected to read from main.1 atomic store, found the initial value"},
		{"sync.Map", syncMap, "00 12 2", "", "expected to read from main.1 atomic update, found the initial value"},

		{"low half without its middle", bytes, "00 12 11", "1", ""},
		{"low half", bytes, "00 12 111", "", "expected to read 0xffff, found 0x506 of main.1 write"},
		{"overwritten", bytes, "00 12 2111", "", "found 0x506 of main.1 write"},
		{"same value from another", same, "00 12 12 0", "", ""},
		{"same value without the other", same, "00 12 1 0", "", ""},
		{"half of the value", same, "00 12 2 0", "", "expected to read from main.1 write, found the initial value"},
		{"part of a range", big, "00 12 1 2", "", ""},
		{"before the range", big, "00 12 2", "", "expected to read from main.1 write, found the initial value"},
		{"initial value written again", initial, "00 12 2 1", "", ""},
		{"overwritten initial value", initial, "00 12 222 1", "", "expected to read 0x5, found 0x6 of main.2 write"},

		{"element as recorded", sends, "0 00 12 111 000", "", ""},
		{"element of another value", sends, "0 00 12 2 111 00", "0", ""},
		{"branch on the element", sends, "0 00 12 2 111 000", "", "may depend on main.1 read at a.go:2"},
		{"pointer", pointer, "00 12 1 222", "", ""},
		{"beside another pointer", pointer, "00 12 22 11", "", ""},
		{"through another pointer", pointer, "00 12 222", "", "expected the recorded address, found that it may depend on main.2 read at a.go:2"},
		{"stand behind another pointer", pointer, "00 12 22 1", "12", "expected the recorded address, found that it may depend on main.2 read at a.go:2"},
		{"child of a tainted goroutine", forks, "0 1 1 0 0 2", "2", ""},
		{"branch of the child", forks, "0 1 1 0 0 2 2", "", "may depend on main read at a.go:2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := parse(t, tt.events)
			steps, violation := positions(tr, tt.order, tt.stand)
			err := feasible.Check(tr, steps, violation)
			if tt.err == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
			var in *feasible.Infeasible
			assert.ErrorAs(t, err, &in)
			assert.NoError(t, feasible.Check(tr, recorded(tr), nil), "the recorded order")
		})
	}
}

// recorded is the recorded order.
func recorded(tr *trace.Trace) []int {
	steps := make([]int, len(tr.Events))
	for i := range steps {
		steps[i] = i
	}
	return steps
}

func TestCheckPositions(t *testing.T) {
	tr := parse(t, "0 write obj=8 size=8; 0 write obj=8 size=8")
	assert.ErrorContains(t, feasible.Check(tr, []int{-1}, nil), "event -1: expected a position below 2")
	assert.ErrorContains(t, feasible.Check(tr, []int{2}, nil), "expected a position below 2")
	assert.ErrorContains(t, feasible.Check(tr, []int{0, 0}, nil), "infeasible: main write: expected the goroutine's next event, main write, first")
	assert.ErrorContains(t, feasible.Check(tr, []int{0, 1, 1}, nil), "expected no more events of the goroutine, all are done")
	assert.ErrorContains(t, feasible.Check(tr, nil, []int{1}), "infeasible: main write: expected the goroutine's next event")
	assert.ErrorContains(t, feasible.Check(tr, nil, []int{0, 0}), "expected one violating event for each goroutine, found a second one")
	assert.NoError(t, feasible.Check(tr, nil, []int{0}))
}

// A judge forgets one schedule before the next.
func TestJudgeAgain(t *testing.T) {
	tr := parse(t, fork2+"1 acq obj=9; 1 write obj=16 size=8; 2 acq obj=8; 2 send obj=5; 0 oncebegin obj=3; 0 post obj=2")
	j := feasible.New(tr)
	for i := range 3 {
		assert.NoError(t, j.Check(recorded(tr), nil), "time %d", i)
		assert.Error(t, j.Check([]int{0, 2, 4, 4}, nil), "time %d", i)
	}
}

func TestInterleavings(t *testing.T) {
	tr := parse(t, fork2+"1 acq obj=9; 1 rel obj=9; 2 acq obj=9; 2 rel obj=9")
	seen := map[string]bool{}
	feasible.Interleavings(tr, func(order []int) bool {
		assert.Len(t, order, len(tr.Events))
		assert.NoError(t, feasible.Check(tr, order, nil))
		assert.False(t, seen[fmt.Sprint(order)])
		seen[fmt.Sprint(order)] = true
		return true
	})
	// By hand: a section excludes the other, but the other goroutine may be
	// forked and begin meanwhile. 8 orders begin with both forks. If 1 begins
	// before 2 is forked: 4 with the fork right after that, 2 with it inside
	// 1's section, 1 with it after the section.
	assert.Len(t, seen, 8+4+2+1)

	n := 0
	feasible.Interleavings(tr, func([]int) bool { n++; return n < 5 })
	assert.Equal(t, 5, n, "yield ends the enumeration")
}

func TestRaces(t *testing.T) {
	const locked = "1 acq obj=9; 1 write obj=16 size=8; 1 rel obj=9; 2 acq obj=9; 2 write obj=16 size=8; 2 rel obj=9"
	for _, tt := range []struct {
		name, events string
		want         [][2]int
	}{
		{"guarded", fork2 + locked, nil},
		{"hidden by the order of sections", fork2 + "1 write obj=16 size=8; 1 acq obj=9; 1 rel obj=9; 2 acq obj=9; 2 rel obj=9; 2 write obj=18 size=2", [][2]int{{4, 9}}},
		{"reads", fork2 + "1 read obj=16 size=8; 2 read obj=16 size=8", nil},
		{"read", fork2 + "1 write obj=16 size=8; 2 read obj=16 size=8 site=2", [][2]int{{4, 5}}},
		{"beside", fork2 + "1 write obj=16 size=8; 2 write obj=24 size=8", nil},
		{"atomic and plain", fork2 + "1 astore obj=16 size=8; 2 write obj=16 size=4", [][2]int{{4, 5}}},
		{"atomics", fork2 + "1 astore obj=16 size=8; 2 astore obj=16 size=8", nil},
		{"behind a flag", fork2 + "1 write obj=16 size=8 val=7 value; 1 write obj=32 size=1 val=1 value; " +
			"2 read obj=32 size=1 val=1 value; 2 branch val=1; 2 write obj=16 size=8 val=8 value", [][2]int{{5, 6}}},
		{"handed over", fork2 + "1 write obj=16 size=8; 1 send obj=5; 2 recv obj=5; 2 recvd obj=5 val=1; 2 write obj=16 size=8; 1 sent obj=5 val=1; 1 write obj=16 size=8", [][2]int{{8, 10}}},
		{"another pointer", fork2 + "1 write obj=16 size=8 val=0xc000010000 value; 1 write obj=0xc000010008 size=8; " +
			"2 read obj=16 size=8 site=2 val=0xc000010000 value; 2 write obj=0xc000010008 size=8", [][2]int{{4, 6}, {5, 7}}},
		{"pointer not seen", fork2 + "1 write obj=0xc000010008 size=8; 1 write obj=16 size=8 val=0xc000010000 value; " +
			"2 read obj=16 size=8 site=2 val=0xc000010000 value; 2 write obj=0xc000010008 size=8", [][2]int{{5, 6}}},
		{"send and close", fork2 + "1 send obj=5; 1 sent obj=5 val=1 size=1; 2 close obj=5", [][2]int{{4, 6}}},
		{"select and close", fork2 + "1 selsend obj=5; 1 select; 2 close obj=5", [][2]int{{4, 6}}},
		{"closes", fork2 + "1 close obj=5; 2 close obj=5", [][2]int{{4, 5}}},
		{"send and close behind a lock", fork2 + "1 acq obj=9; 1 send obj=5; 1 sent obj=5 val=1 size=1; 1 rel obj=9; 2 acq obj=9; 2 rel obj=9; 2 close obj=5", [][2]int{{5, 10}}},
		{"add and wait", fork2 + "1 add obj=5 val=1; 2 wgwait obj=5", [][2]int{{4, 5}}},
		{"add to one and wait", "0 add obj=5 val=1; " + fork2 + "1 add obj=5 val=1; 2 wgwait obj=5", nil},
		{"lock and write", fork2 + "1 acq obj=16; 2 write obj=8 size=16", [][2]int{{4, 5}}},
		{"parent and child", "0 write obj=16 size=8; 0 fork obj=1; 1 begin; 0 write obj=16 size=8; 1 write obj=16 size=8", [][2]int{{3, 4}}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, feasible.Races(parse(t, tt.events))) })
	}
}
