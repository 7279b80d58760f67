package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has the runtime's hooks for channels. The first hook of an operation returns its site,
// or 0 if the operation is not logged; the runtime hands that to the second hook.

// unknownSite stands for site 0 of an operation that is logged.
const unknownSite = 1<<31 - 1

// siteOrUnknown returns what the runtime keeps of a site for the second hook of an operation. To
// the runtime, 0 means that the operation is not logged.
func siteOrUnknown(site uint32) uint32 {
	if site == 0 {
		return unknownSite
	}
	return site
}

// siteOrNone returns the site for what siteOrUnknown has returned.
func siteOrNone(site uint32) uint32 {
	if site == unknownSite {
		return 0
	}
	return site
}

// chanEvent logs that a channel was made, or is about to be closed.
func chanEvent(kind uint8, ch, capacity uint64, pc uintptr) {
	if g, site := enterAt(kind, ch, pc); g != nil {
		g.log(kind, 0, site, uint32(capacity), ch, 0)
	}
}

// chanBegin logs the beginning of a send or receive, and notes that the goroutine may block in it.
func chanBegin(kind uint8, ch, capacity uint64, pc uintptr) uint32 {
	g, site := enterAt(kind, ch, pc)
	if g == nil {
		return 0
	}
	g.log(kind, 0, site, uint32(capacity), ch, 0)
	g.blockingOp = blockingOperation{ch, site, kind, runtime.PredictClockNow()}
	return siteOrUnknown(site)
}

// chanDone logs the completion of a send or receive of the element with a number; 0 stands for a
// closed channel. Schedules have no such events.
func chanDone(kind uint8, ch, capacity, elem uint64, site uint32) {
	if g := current(); g != nil {
		g.passAndLog(kind, 0, siteOrNone(site), uint32(capacity), ch, elem)
	}
}

// selectBegin logs that a select is about to choose. selectSendCase and selectReceiveCase have
// logged its cases before. A select with a default may be part of a loop that polls.
func selectBegin(cases int, hasDefault bool, pc uintptr) uint32 {
	g := current()
	if g == nil || lookup(pc).isRuntime {
		return 0
	}
	site := siteOf(pc)
	var flags uint8
	g.selectHasDefault = hasDefault
	if hasDefault {
		flags = flagDefault
		g.followOrder(KindSelect, 0)
		g.countLook(uint64(pc), true)
	} else {
		g.beforeOperation(KindSelect, site, 0)
	}
	g.passAndLog(KindSelect, flags, site, 0, 0, uint64(cases))
	g.blockingOp = blockingOperation{0, site, KindSelect, runtime.PredictClockNow()}
	return siteOrUnknown(site)
}

// selectDone logs which case a select has chosen, from 1; 0 is the default. flagAsked says that
// the schedule has asked for that case.
func selectDone(chosen int, site uint32) {
	if g := current(); g != nil {
		g.actor.pass(KindSelectDone, siteOrNone(site), 0, 0, nil)
		g.prepareOperation()
		var flags uint8
		if chosen != 0 && g.inRuntime.SelectCase == uint16(chosen) {
			flags = flagAsked
		}
		g.inRuntime.SelectCase = 0
		g.log(KindSelectDone, flags, siteOrNone(site), 0, 0, uint64(chosen))
	}
}

// selectSendCase logs that a case of the coming select would send to a channel. Unlike an
// operation, it neither counts as progress nor lets others go first.
func selectSendCase(ch, capacity uint64, pc uintptr) {
	g := current()
	if g == nil || lookup(pc).isRuntime {
		return
	}
	site := siteOf(pc)
	g.passAndLog(KindSelectSend, 0, site, uint32(capacity), ch, 0)
}

// selectReceiveCase logs that a case of the coming select would receive from a channel; 0 is the
// nil channel.
func selectReceiveCase(ch, capacity uint64, pc uintptr) {
	if g := current(); g != nil && !lookup(pc).isRuntime {
		g.prepareOperation()
		g.log(KindSelectRecv, 0, siteOf(pc), uint32(capacity), ch, 0)
	}
}

// timerFired logs that a timer has sent the element that was just received.
func timerFired(timer unsafe.Pointer, site uint32) {
	if g := enter(KindAwait, siteOrNone(site)); g != nil {
		g.log(KindAwait, 0, siteOrNone(site), 0, uint64(uintptr(timer)), 0)
	}
}

// post logs that what happens before it happens before every later await of the token.
func post(token unsafe.Pointer, pc uintptr) { Log(KindPost, token, 0, pc) }

// await logs that what came before each post of the token has happened.
func await(token unsafe.Pointer, pc uintptr) { Log(KindAwait, token, 0, pc) }

// panics logs a panic, also one that an operation of package sync raises
// while its inside is muted.
func panics(pc uintptr) {
	if runtime.PredictRecord() == unsafe.Pointer(&runtimeGoroutines) {
		return
	}
	m := Mute()
	if m.g != nil {
		m.g.muteDepth = 0
	}
	defer Restore(m)
	if g, site := enterAt(KindPanic, 0, pc); g != nil {
		g.log(KindPanic, 0, site, 0, 0, 0)
	}
}
