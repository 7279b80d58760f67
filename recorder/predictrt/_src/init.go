package predictrt

import (
	"internal/stringslite"
	"runtime"
)

// This file starts the library. One environment variable says what it does in this process, see
// package predictrt of the recorder.

// Mode says what the library does in this process: 0 nothing, 1 record, 2 replay.
var Mode uint32

const (
	modeRecord = 1
	modeReplay = 2
)

// init reads the mode from the environment, opens the files, and installs the hooks in the
// runtime. Without the variable, the program runs as it is.
func init() {
	env := runtime.PredictEnv()
	if env == "" {
		return
	}
	var mode uint32
	var trace, planPath, verdict string
	for i, field := range split(env, ";") {
		name, value, _ := stringslite.Cut(field, "=")
		switch {
		case i == 0 && field == "record":
			mode = modeRecord
		case i == 0 && field == "replay":
			mode = modeReplay
		case name == "trace":
			trace = value
		case name == "limit":
			logLimit = numberOption(name, "bytes", value)
		case field == "brief":
			isShortRun = true
		case name == "tests":
			testsTime = int64(numberOption(name, "nanoseconds", value))
		case name == "hold":
			holdTime = int64(numberOption(name, "nanoseconds", value))
		case name == "order":
			if !setOrder(value) {
				runtime.PredictFatal("GOPREDICT_RT: expected oldest, child, nonpreemptive, seedN, chanceN, posN or pctN/DEPTH/STEPS as order, found " + value)
			}
		case name == "plan":
			planPath = value
		case name == "verdict":
			verdict = value
		default:
			runtime.PredictFatal("GOPREDICT_RT: expected record or replay with trace, order, plan, verdict, found " + field)
		}
	}
	if mode == modeRecord && trace == "" || mode == modeReplay && (planPath == "" || verdict == "") {
		runtime.PredictFatal("GOPREDICT_RT: expected record;trace=FILE or replay;plan=FILE;verdict=FILE, found " + env)
	}
	emptySlot()
	stdSources = findStdSources()
	if trace != "" && !startTrace(trace) {
		runtime.PredictFatal("cannot create the trace " + trace)
	}
	if mode == modeReplay {
		isShortRun = true
		runtime.PredictPin()
		startReplay(planPath, verdict)
		runtime.PredictUnpin()
		runtime.PredictWatch(watch, false)
	} else {
		runtime.PredictWatch(watchRun, true)
	}
	runtime.PredictSkipsTime = isShortRun
	Mode = mode
	runtime.PredictInstall(runtime.PredictHooks{
		Fork: fork, End: end, Panic: panics,
		Make:   func(ch, capacity uint64, pc uintptr) { chanEvent(KindChanMake, ch, capacity, pc) },
		Close:  func(ch, capacity uint64, pc uintptr) { chanEvent(KindClose, ch, capacity, pc) },
		Send:   func(ch, capacity uint64, pc uintptr) uint32 { return chanBegin(KindSend, ch, capacity, pc) },
		Recv:   func(ch, capacity uint64, pc uintptr) uint32 { return chanBegin(KindRecv, ch, capacity, pc) },
		Sent:   func(ch, capacity, elem uint64, site uint32) { chanDone(KindSendDone, ch, capacity, elem, site) },
		Recvd:  func(ch, capacity, elem uint64, site uint32) { chanDone(KindRecvDone, ch, capacity, elem, site) },
		Select: selectBegin, Selected: selectDone,
		SelectSend: selectSendCase, SelectReceive: selectReceiveCase, TimerFired: timerFired,
		Gosched: gosched, ReadClock: countClockLook, FiresAtOnce: mayFireAtOnce, ReadInput: readsInput, ReadInputAt: noteInputAt, Post: post, Await: await,
		SetFinalizer: attach, NoFinalizer: detach, BeginFinalizer: enterFinal, EndFinalizer: leaveFinal,
		Cleanup: attachCleanup, NoCleanup: detachCleanup, BeginCleanup: enterCleanup, Cleanups: cleanups,
		BeforeCopy: beforeCopy, BeforeMapAccess: beforeMapAccess,
		FastRecord: &fastRecord, Freed: logFreed, Misused: writeMisused, Finish: finish,
		Allocated: logAllocated,
	})
	if isShortRun {
		runtime.PredictLogsAllocations()
	}
}

// numberOption returns the number that is the value of a field of the mode.
func numberOption(name, unit, value string) uint64 {
	n, ok := atoi(value)
	if !ok {
		runtime.PredictFatal("GOPREDICT_RT: expected a number of " + unit + " as " + name + ", found " + value)
	}
	return n
}

// split cuts s at each sep.
func split(s, sep string) []string {
	var parts []string
	for more := true; more; {
		var part string
		part, s, more = stringslite.Cut(s, sep)
		parts = append(parts, part)
	}
	return parts
}
