package facts

import "github.com/gopredict/gopredict/recorder/trace"

// A Once is one run of the function of a sync.Once.
type Once struct {
	Begin int32
	End   int32 // None if the function has panicked, or has not returned
}

// onceTable is the runs of the functions of Onces.
type onceTable struct{ onces []Once }

// Onces returns the runs of the functions of all Onces, by where they begin. The caller
// must not change them.
func (f *Facts) Onces() []Once { return f.onces }

// OnceOf returns the run that event i begins or ends, or that had begun last when it, the
// return of a Do, happened. It is None if the function ran before the trace began.
func (f *Facts) OnceOf(i int) int32 { return f.rowIn(trace.ClassOnce, i) }

// addOnceEvent takes up an event of a Once.
func (b *builder) addOnceEvent(i int32, e *trace.Event) int32 {
	n := b.objects[trace.ClassOnce].number(e.Obj)
	if int(n) == len(b.running) {
		b.running = append(b.running, None)
	}
	row := &b.running[n]
	switch e.Kind {
	case trace.OnceBegin:
		*row = int32(len(b.onces))
		b.onces = append(b.onces, Once{i, None})
	case trace.OnceEnd:
		if *row != None {
			b.onces[*row].End = i
		}
	}
	return *row
}
