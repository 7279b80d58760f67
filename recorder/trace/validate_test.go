package trace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parse makes a trace of the events of goroutines 0 (main), 1 and 2 (its
// children, not forked yet).
func parse(t *testing.T, events string) *Trace {
	t.Helper()
	head := textMagic + "\ntest name=\"T\"\nsite id=1 line=1\ngoroutine path=\"main\"\n" +
		"goroutine id=1 path=\"main.1\"\ngoroutine id=2 path=\"main.2\"\ngoroutine id=3 parent=3 path=\"timer.1\"\n"
	tr, err := ReadText(strings.NewReader(head + strings.ReplaceAll(events, "; ", "\n")))
	require.NoError(t, err)
	return tr
}

// both starts goroutines 1 and 2.
const both = "0 fork obj=1; 0 fork obj=2; 1 begin; 2 begin; "

func TestValidateLegal(t *testing.T) {
	assert.NoError(t, Validate(sample()))
	for name, events := range map[string]string{
		"unlock by another goroutine": both + "1 acq obj=9; 2 rel obj=9; 1 acq obj=9",
		"readers":                     both + "1 racq obj=9; 2 racq obj=9; 1 rrel obj=9; 2 rrel obj=9; 0 acq obj=9",
		"fatal unlock":                both + "1 rel obj=9",
		"a root that is not main":     "3 begin; 3 end",
		"a waiting sender logs late":  both + "1 send obj=5; 2 recv obj=5; 2 recvd obj=5 val=1; 1 sent obj=5 val=1",
		"senders log out of order": both + "0 send obj=5; 1 send obj=5; 2 recv obj=5; 2 recvd obj=5 val=1; 2 recv obj=5; " +
			"2 recvd obj=5 val=2; 1 sent obj=5 val=2; 0 sent obj=5 val=1",
		"closed":                both + "1 recv obj=5; 2 close obj=5; 1 recvd obj=5",
		"send on closed":        both + "1 close obj=5; 2 send obj=5; 2 panic; 2 end",
		"close twice":           both + "1 close obj=5; 1 close obj=5; 1 panic",
		"select default":        "0 select val=2 default; 0 selected",
		"select sends":          both + "1 recv obj=5; 0 select val=2; 0 selected val=2; 0 sent obj=5 val=1; 1 recvd obj=5 val=1",
		"nil channel":           "0 send",
		"wait after zero":       both + "0 add obj=7 val=1; 1 wgwait obj=7; 2 add obj=7 val=0xffffffffffffffff; 0 add obj=7 val=1; 1 wgwaited obj=7",
		"negative counter":      "0 add obj=7 val=0xffffffffffffffff; 0 panic",
		"Once":                  both + "1 oncebegin obj=8; 1 onceend obj=8; 1 oncedone obj=8; 2 oncedone obj=8",
		"Once that panics":      both + "1 oncebegin obj=8; 1 panic; 2 oncedone obj=8",
		"another Once there":    both + "1 oncebegin obj=8; 1 onceend obj=8; 1 oncedone obj=8; 1 oncebegin obj=8; 1 onceend obj=8",
		"condition":             both + "1 wait obj=6; 2 wait obj=6 val=1; 0 signal obj=6 val=1; 1 wake obj=6; 0 broadcast obj=6 val=1 size=1; 2 wake obj=6 val=1",
		"signal without waiter": "0 signal obj=6; 0 broadcast obj=6",
	} {
		t.Run(name, func(t *testing.T) { assert.NoError(t, Validate(parse(t, events))) })
	}
}

func TestValidateIllegal(t *testing.T) {
	for _, tt := range []struct{ events, err string }{
		{"1 begin", "event 0: 1 begin # main.1\n\texpected a fork of the goroutine before, found none"},
		{"0 fork obj=1; 1 panic", "expected begin as the goroutine's first event, found panic"},
		{"0 fork obj=1; 1 begin; 1 begin", "expected one begin"},
		{"0 fork obj=1; 0 fork obj=1", "expected one fork of the goroutine"},
		{"0 panic; 3 fork obj=0", "expected a fork before the goroutine's first event"},
		{"0 end; 0 panic", "event 1: 0 panic # main\n\texpected no event after the goroutine's end, found panic"},
		{"0 panic site=2", "expected a defined site, found site 0x2"},
		{"0 read obj=1", "expected an access of at least one byte"},
		{"0 read obj=1 size=9 value", "no string, interface or slice, found 9"},
		{"0 read obj=0xffffffffffffffff size=2", "expected an access inside the address space"},
		{both + "1 acq obj=9; 2 acq obj=9", "expected a free lock, found held by a writer: true"},
		{both + "1 acq obj=9; 2 racq obj=9", "expected a lock free for readers"},
		{both + "1 racq obj=9; 2 acq obj=9", "by readers: 1"},
		{both + "1 rel obj=9; 1 acq obj=9", "expected a panic: unlock of an unlocked lock, found acq"},
		{both + "1 rrel obj=9; 1 acq obj=9", "expected a panic: unlock of an unlocked lock, found acq"},
		{both + "1 sent obj=5 val=1", "expected the begin of the operation before, found none"},
		{both + "1 send obj=5; 1 acq obj=9", "expected sent after send, found acq"},
		{both + "1 send obj=5; 1 sent obj=4 val=1", "expected sent of channel 0x5, found 0x4"},
		{"0 send; 0 sent obj=5 val=1", "expected sent of channel 0x0, found 0x5"},
		{"0 send obj=5; 0 sent obj=5", "expected a new number from 1, found 0"},
		{both + "0 send obj=5 size=2; 0 sent obj=5 val=1 size=2; 0 send obj=5 size=2; 0 sent obj=5 val=1 size=2", "expected a new number from 1, found 1"},
		{"0 recv obj=5; 0 recvd obj=5", "expected a closed channel, found an open one"},
		{both + "1 recv obj=5; 1 recvd obj=5 val=1; 2 recv obj=5; 2 recvd obj=5 val=1", "expected an element that was not received before, found 1"},
		{both + "1 recv obj=5; 1 recvd obj=5 val=1; 2 send obj=5; 2 sent obj=5 val=1", "expected the send to begin before its element is received, found the receive in event 5"},
		{both + "1 send obj=5 size=1; 1 sent obj=5 val=2 size=1; 2 recv obj=5 size=1; 2 recvd obj=5 val=1 size=1", "expected the receive to begin before a later send takes its room"},
		{"0 close obj=5; 0 close obj=5; 0 close obj=5", "expected a panic: close of a closed channel, found close"},
		{"0 recv obj=5; 0 panic; 0 make obj=5", "expected a new channel"},
		{"0 selsend obj=5; 0 select val=1 default; 0 selected; 0 make obj=5", "expected a new channel"},
		{"0 select val=2; 0 selected", "expected a case from 1 to 2, or 0 for a default, found 0"},
		{"0 select val=2 default; 0 selected val=3", "found 3"},
		{"0 select val=2; 0 selected val=1; 0 panic", "expected sent or recvd of the chosen case, found panic"},
		{"0 wgwaited obj=7", "expected wgwait before, found none"},
		{both + "0 add obj=7 val=1; 1 wgwait obj=7; 1 wgwaited obj=7", "expected a counter of zero, found 1"},
		{"0 add obj=7 val=0xffffffffffffffff; 0 end", "expected a panic: negative WaitGroup counter, found end"},
		{"0 oncedone obj=8", "expected oncebegin before, found none"},
		{both + "1 oncebegin obj=8; 2 oncedone obj=8", "expected onceend before, found the function running in goroutine 1"},
		{both + "1 oncebegin obj=8; 2 onceend obj=8", "expected the end of a function that this goroutine runs"},
		{both + "1 oncebegin obj=8; 2 oncebegin obj=8", "expected one execution of Once's function, found a second while it runs"},
		{both + "1 wait obj=6; 1 wake obj=6", "expected a signal or broadcast for the ticket before, found none"},
		{both + "1 wait obj=6; 2 wait obj=6", "expected a ticket that nobody waits with"},
		{both + "1 wait obj=6; 0 signal obj=6 val=2", "expected tickets that wait, found ticket 1, which does not"},
		{both + "1 wait obj=6; 0 broadcast obj=6 size=2", "found ticket 1, which does not"},
	} {
		t.Run(strings.TrimPrefix(tt.events, both), func(t *testing.T) {
			assert.ErrorContains(t, Validate(parse(t, tt.events)), tt.err)
		})
	}
}

func TestValidateGoroutines(t *testing.T) {
	for want, g := range map[string]Goroutine{
		"found id 7, parent 0": {ID: 7, Path: "x"},
		"found id 0, parent 9": {Parent: 9, Path: "x"},
	} {
		assert.ErrorContains(t, Validate(&Trace{Goroutines: []Goroutine{g}}), want)
	}
	tr := sample()
	tr.Events[3].G = 9
	assert.ErrorContains(t, Validate(tr), "event 3: ")
}

// Validate must stand whatever the readers let through.
func FuzzValidate(f *testing.F) {
	f.Add(sampleText)
	f.Fuzz(func(t *testing.T, in string) {
		tr, _ := ReadText(strings.NewReader(in))
		if err := Validate(tr); err != nil {
			require.NotContains(t, err.Error(), "expected ,")
		}
	})
}
