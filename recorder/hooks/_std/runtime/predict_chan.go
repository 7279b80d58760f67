package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// This file surrounds the operations on channels with hooks.

// predictChan returns the channel's number and its capacity.
func predictChan(c *hchan) (id, capacity uint64) {
	if c == nil {
		return 0, 0
	}
	if c.predictID == 0 {
		predictChanIDs++
		c.predictID = predictChanIDs
	}
	return c.predictID, uint64(c.dataqsiz)
}

func predictMake(c *hchan, pc uintptr) {
	id, n := predictChan(c)
	predictHooks.Make(id, n, pc)
}

// predictPut counts an element that goes into c, and notes its number for the goroutine that
// sends it.
//
//go:nosplit
func predictPut(c *hchan, gp *g) {
	c.predictSent++
	gp.predictElem = c.predictSent
}

// predictTake counts an element that leaves c, and notes its number for the goroutine that
// receives it.
//
//go:nosplit
func predictTake(c *hchan, gp *g) {
	c.predictRecvd++
	gp.predictElem = c.predictRecvd
}

// predictSend replaces chansend. If it does not block, it is a select with a default.
func predictSend(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) bool {
	id, n := predictChan(c)
	if !block {
		if id != 0 {
			predictHooks.SelectSend(id, n, pc)
		}
		site := predictHooks.Select(1, true, pc)
		ok := chansend(c, elem, false, pc)
		predictAfterTry(site, ok, c, true, getg().predictElem)
		return ok
	}
	site := predictHooks.Send(id, n, pc)
	chansend(c, elem, true, pc)
	if site != 0 {
		predictHooks.Sent(id, n, getg().predictElem, site)
	}
	return true
}

// predictRecv replaces chanrecv. If it does not block, it is a select with a default.
func predictRecv(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) (selected, received bool) {
	id, n := predictChan(c)
	if !block {
		predictHooks.SelectReceive(id, n, pc)
		site := predictHooks.Select(1, true, pc)
		selected, received = chanrecv(c, elem, false)
		predictAfterTry(site, selected, c, false, predictReceived(received))
		return selected, received
	}
	pending := predictPending()
	pending.addChannel(c, false)
	site := predictHooks.Recv(id, n, pc)
	pending.clearChannels()
	selected, received = chanrecv(c, elem, true)
	if site != 0 {
		predictAfterRecv(c, predictReceived(received), site)
	}
	return selected, received
}

// predictAfterTry calls the hooks after a select with one case and a default.
func predictAfterTry(site uint32, selected bool, c *hchan, sends bool, elem uint64) {
	chosen := 0
	if selected {
		chosen = 1
	}
	predictAfterSelect(site, chosen, c, sends, elem)
}

// predictAfterSelect calls the hooks after a select. chosen is the case, from 1, which sends or
// receives the element on c; 0 is the default.
func predictAfterSelect(site uint32, chosen int, c *hchan, sends bool, elem uint64) {
	if site == 0 {
		return
	}
	predictHooks.Selected(chosen, site)
	switch {
	case chosen == 0:
	case sends:
		id, n := predictChan(c)
		predictHooks.Sent(id, n, elem, site)
	default:
		predictAfterRecv(c, elem, site)
	}
}

func predictAfterRecv(c *hchan, elem uint64, site uint32) {
	id, n := predictChan(c)
	predictHooks.Recvd(id, n, elem, site)
	if c.timer != nil {
		// To package time, the timer is the struct that holds it.
		predictHooks.TimerFired(unsafe.Add(unsafe.Pointer(c.timer), -int(unsafe.Offsetof(timeTimer{}.timer))), site)
	}
}

// predictReceived returns the number of the element just received; 0 means that the channel is
// closed.
func predictReceived(received bool) uint64 {
	if !received {
		return 0
	}
	return getg().predictElem
}

// predictPending returns the record that notes the channels of the coming operation; nil for a
// goroutine that has none.
func predictPending() *PredictGoroutine { return (*PredictGoroutine)(getg().predict) }

// addChannel notes a channel that the coming operation sends to or receives from.
func (c *PredictGoroutine) addChannel(ch *hchan, sends bool) {
	if c == nil || int(c.sends+c.receives) == len(c.channels) {
		return
	}
	c.channels[c.sends+c.receives] = uintptr(unsafe.Pointer(ch))
	if sends {
		c.sends++
	} else {
		c.receives++
	}
}

func (c *PredictGoroutine) clearChannels() {
	if c != nil {
		c.sends, c.receives = 0, 0
	}
}

// CanCommunicate reports whether the goroutine is held before an operation on channels that
// would not block now. A timer's channel does not count: when it fires is a matter of time.
func (c *PredictGoroutine) CanCommunicate() bool {
	for k, p := range c.channels[:c.sends+c.receives] {
		ch := (*hchan)(unsafe.Pointer(p)) // the goroutine's stack has it, too
		switch {
		case ch == nil || ch.timer != nil:
		case ch.closed != 0,
			k < int(c.sends) && (ch.qcount < ch.dataqsiz || ch.recvq.first != nil),
			k >= int(c.sends) && (ch.qcount > 0 || ch.sendq.first != nil):
			return true
		}
	}
	return false
}

func closechan(c *hchan) {
	if !predictIsUser() || c == nil {
		predictClosechan(c)
		return
	}
	id, n := predictChan(c)
	predictHooks.Close(id, n, sys.GetCallerPC())
	// No other goroutine may run between the event and the operation.
	mp := acquirem()
	if c.closed == 0 {
		predictClosechan(c)
		releasem(mp)
		return
	}
	releasem(mp)
	predictClosechan(c) // panics
}

func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {
	if !predictIsUser() {
		return predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	pc := sys.GetCallerPC()
	cases := (*[1 << 16]scase)(unsafe.Pointer(cas0))
	pending := predictPending()
	for i := range nsends + nrecvs {
		pending.addChannel(cases[i].c, i < nsends)
	}
	for i := range nrecvs {
		id, n := predictChan(cases[nsends+i].c)
		predictHooks.SelectReceive(id, n, pc)
	}
	for i := range nsends {
		if id, n := predictChan(cases[i].c); id != 0 {
			predictHooks.SelectSend(id, n, pc)
		}
	}
	site := predictHooks.Select(nsends+nrecvs, !block, pc)
	pending.clearChannels()
	chosen, received := predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	var c *hchan
	if chosen >= 0 {
		c = cases[chosen].c
	}
	predictAfterSelect(site, chosen+1, c, chosen < nsends, predictReceived(received || chosen < nsends))
	return chosen, received
}
