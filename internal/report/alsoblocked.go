package report

import "slices"

// Join adds goroutines to those that f's bug also blocks, of any run, unless one of these waits at
// the same place and was started with the same function.
func (f *Finding) AddAlsoBlocked(others []Access) {
	for _, o := range others {
		if len(f.AlsoBlocked) < MaxAlsoBlocked && !slices.ContainsFunc(f.AlsoBlocked, o.waitsLike) {
			f.AlsoBlocked = append(f.AlsoBlocked, o)
		}
	}
}

// waitsLike reports whether a and b wait in the same operation, and were started with the same
// function.
func (a Access) waitsLike(b Access) bool {
	start := func(a Access) (name string) {
		for _, p := range a.Stack {
			name = p.Func
		}
		return name
	}
	return a.Op == b.Op && a.File == b.File && a.Line == b.Line && start(a) == start(b)
}

// writeAlso writes who else is blocked.
func (p *printer) writeAlso(f *Finding) {
	if len(f.AlsoBlocked) == 0 {
		return
	}
	p.printf("")
	for _, a := range f.AlsoBlocked[:min(len(f.AlsoBlocked), maxAlsoBlockedText)] {
		p.printf("Goroutine %s is blocked by it as well, before %s at %s.", a.Goroutine, a.Phrase(), a.Pos())
	}
	if more := len(f.AlsoBlocked) - maxAlsoBlockedText; more > 0 {
		p.printf("… and %d more; -predict.json=FILE tells where.", more)
	}
}
