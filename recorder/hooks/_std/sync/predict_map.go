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

func (m *Map) Load(key any) (value any, ok bool) {
	if predictrt.Mode == 0 {
		return m.predictLoad(key)
	}
	var op predictrt.Op
	if pc := sys.GetCallerPC(); !predictrt.IsPrivate(pc) {
		op = predictrt.Begin(predictrt.KindAtomicLoad, unsafe.Pointer(m), pc)
	}
	s := predictrt.Mute()
	defer predictrt.Restore(s)
	value, ok = m.predictLoad(key)
	predictrt.Restore(s)
	op.Log(0)
	return value, ok
}

func (m *Map) Range(f func(key, value any) bool) {
	if predictrt.Mode == 0 {
		m.predictRange(f)
		return
	}
	s := m.predictBeginChange(nil, sys.GetCallerPC())
	defer predictrt.Restore(s)
	m.predictRange(func(key, value any) bool {
		inner := predictrt.Unmute()
		defer predictrt.Restore(inner)
		return f(key, value)
	})
}
