package predictrt

import "runtime"

// loops is how often in a row goroutines may call runtime.Gosched, while none
// computes, until they are taken to wait for what does not come.
const loops = 10_000

// looped is how many calls there were in a row since the schedule has moved.
var looped int

// gosched is called before a goroutine gives way of its own will. A loop that
// does so waits for something that others do, and while the gate holds those it
// would never end.
func gosched() {
	if stage != following || len(parked) == 0 {
		return
	}
	g := current()
	if g == nil {
		return
	}
	g.gosched = true
	if looped++; looped%loops != 0 || !runtime.PredictCanPark() {
		return
	}
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	look := runtime.PredictLook()
	if spent := stands(); spent < allowance && (look.Outside || look.Timer >= 0 && look.Timer <= soon) {
		return
	}
	blocked := stuckReport()
	leave("no goroutine can go on but in loops" + missing())
	verdict(blocked)
}

// computes is called when g has done many operations since it gave way last.
func (g *goroutine) computes() {
	if !g.gosched {
		looped = 0
	}
	g.gosched = false
}
