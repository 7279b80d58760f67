package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

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

// predictPut counts an element that goes into c and notes its number for the
// goroutine that sends it.
//
//go:nosplit
func predictPut(c *hchan, gp *g) {
	c.predictSent++
	gp.predictElem = c.predictSent
}

// predictTake counts an element that leaves c.
//
//go:nosplit
func predictTake(c *hchan, gp *g) {
	c.predictRecvd++
	gp.predictElem = c.predictRecvd
}

func predictSend(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) bool {
	id, n := predictChan(c)
	if !block {
		return predictTrySend(c, elem, id, n, pc)
	}
	site := predictHooks.Send(id, n, pc)
	chansend(c, elem, true, pc)
	if site != 0 {
		predictHooks.Sent(id, n, getg().predictElem, site)
	}
	return true
}

func predictTrySend(c *hchan, elem unsafe.Pointer, id, n uint64, pc uintptr) bool {
	if id != 0 {
		predictHooks.Case(id, n, pc)
	}
	site := predictHooks.Select(1, true, pc)
	ok := chansend(c, elem, false, pc)
	number := getg().predictElem
	if site == 0 {
		return ok
	}
	if !ok {
		predictHooks.Selected(0, site)
		return false
	}
	predictHooks.Selected(1, site)
	predictHooks.Sent(id, n, number, site)
	return true
}

func predictRecv(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) (selected, received bool) {
	id, n := predictChan(c)
	if !block {
		return predictTryRecv(c, elem, id, n, pc)
	}
	stand := predictStand()
	stand.at(c, false)
	site := predictHooks.Recv(id, n, pc)
	stand.leave()
	selected, received = chanrecv(c, elem, true)
	if site != 0 {
		predictRecvd(c, id, n, predictElem(received), site)
	}
	return selected, received
}

func predictRecvd(c *hchan, id, n, number uint64, site uint32) {
	predictHooks.Recvd(id, n, number, site)
	if c.timer != nil {
		// Package time's name for the timer is that of what holds it.
		predictHooks.Fired(unsafe.Add(unsafe.Pointer(c.timer), -int(unsafe.Offsetof(timeTimer{}.timer))), site)
	}
}

func predictTryRecv(c *hchan, elem unsafe.Pointer, id, n uint64, pc uintptr) (selected, received bool) {
	predictHooks.Other(id, n, pc)
	site := predictHooks.Select(1, true, pc)
	selected, received = chanrecv(c, elem, false)
	number := predictElem(received)
	if site == 0 {
		return selected, received
	}
	if !selected {
		predictHooks.Selected(0, site)
		return false, false
	}
	predictHooks.Selected(1, site)
	predictRecvd(c, id, n, number, site)
	return selected, received
}

// predictStand returns where to put down what the goroutine is about to wait for; nil for one
// that has no record.
func predictStand() *PredictChance { return (*PredictChance)(getg().predict) }

// at puts down one of the channels that the coming operation sends to or receives from.
func (c *PredictChance) at(ch *hchan, sends bool) {
	if c == nil || int(c.sends+c.receives) == len(c.stands) {
		return
	}
	c.stands[c.sends+c.receives] = uintptr(unsafe.Pointer(ch))
	if sends {
		c.sends++
	} else {
		c.receives++
	}
}

func (c *PredictChance) leave() {
	if c != nil {
		c.sends, c.receives = 0, 0
	}
}

// Ready reports whether the goroutine is held before an operation on channels that would
// not block now. A timer's channel never is ready: whether it has fired is time's.
func (c *PredictChance) Ready() bool {
	for k, p := range c.stands[:c.sends+c.receives] {
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

// predictElem is the number of the element just received; 0 means closed.
func predictElem(received bool) uint64 {
	if !received {
		return 0
	}
	return getg().predictElem
}

func closechan(c *hchan) {
	if !predictUser() || c == nil {
		predictClosechan(c)
		return
	}
	id, n := predictChan(c)
	predictHooks.Close(id, n, sys.GetCallerPC())
	// No other goroutine may come between the event and the operation.
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
	if !predictUser() {
		return predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	pc := sys.GetCallerPC()
	cases := (*[1 << 16]scase)(unsafe.Pointer(cas0))
	stand := predictStand()
	for i := range nsends + nrecvs {
		stand.at(cases[i].c, i < nsends)
	}
	for i := range nrecvs {
		id, n := predictChan(cases[nsends+i].c)
		predictHooks.Other(id, n, pc)
	}
	for i := range nsends {
		if id, n := predictChan(cases[i].c); id != 0 {
			predictHooks.Case(id, n, pc)
		}
	}
	site := predictHooks.Select(nsends+nrecvs, !block, pc)
	stand.leave()
	casi, received := predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	number := getg().predictElem
	if casi >= nsends && !received {
		number = 0
	}
	if site == 0 {
		return casi, received
	}
	predictHooks.Selected(casi+1, site)
	if casi >= 0 {
		c := cases[casi].c
		id, n := predictChan(c)
		if casi < nsends {
			predictHooks.Sent(id, n, number, site)
		} else {
			predictRecvd(c, id, n, number, site)
		}
	}
	return casi, received
}
