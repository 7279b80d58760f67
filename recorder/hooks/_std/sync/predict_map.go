package sync

import (
	"internal/runtime/sys"
	"predictrt"
	"unsafe"
)

// predictBeginChange logs an operation on m that may change it, and mutes what it does inside.
// value is what it may put in. The result is for predictrt.Restore.
func (m *Map) predictBeginChange(value any, pc uintptr) predictrt.MuteState {
	if predictrt.IsPrivate(pc) {
		predictrt.StoredInMap(predictDataPointer(value), pc)
	} else {
		predictrt.Log(predictrt.KindAtomicRMW, unsafe.Pointer(m), 0, pc)
	}
	return predictrt.Mute()
}

// predictBeginLoad begins a load from m, which is muted inside. A load by the standard library for
// itself has no event.
func (m *Map) predictBeginLoad(pc uintptr) predictrt.Op {
	if predictrt.IsPrivate(pc) {
		predictrt.Mute()
		return predictrt.Op{}
	}
	return predictrt.BeginMuted(predictrt.KindAtomicLoad, unsafe.Pointer(m), pc)
}

func (m *Map) Range(f func(key, value any) bool) {
	if predictrt.Mode == 0 {
		m.predictRange(f)
		return
	}
	pc := sys.GetCallerPC()
	s := m.predictBeginChange(nil, pc)
	defer predictrt.Restore(s)
	first := true
	m.predictRange(func(key, value any) bool {
		inner := predictrt.Unmute()
		defer predictrt.Restore(inner)
		if !first {
			predictrt.ReadsMapOrder(pc)
		}
		first = false
		return f(key, value)
	})
}
