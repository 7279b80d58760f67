package sync

import (
	"internal/runtime/sys"
	"predictrt"
	"unsafe"
)

// predictRMW logs an operation on m that may change it and mutes what it does
// inside. value is what it may put in. The result is for predictrt.Restore.
func (m *Map) predictRMW(value any, pc uintptr) predictrt.Muted {
	if predictrt.Private(pc) {
		predictrt.Kept(predictToken(value), pc)
	} else {
		predictrt.Log(predictrt.AtomicRMW, unsafe.Pointer(m), 0, pc)
	}
	return predictrt.Mute()
}

func (m *Map) Load(key any) (value any, ok bool) {
	if predictrt.Mode == 0 {
		return m.predictLoad(key)
	}
	var op predictrt.Op
	if pc := sys.GetCallerPC(); !predictrt.Private(pc) {
		op = predictrt.Begin(predictrt.AtomicLoad, unsafe.Pointer(m), pc)
	}
	s := predictrt.Mute()
	defer predictrt.Restore(s)
	value, ok = m.predictLoad(key)
	predictrt.Restore(s)
	op.Done(0)
	return value, ok
}

func (m *Map) Store(key, value any) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(value, sys.GetCallerPC()))
	}
	m.predictStore(key, value)
}

func (m *Map) Clear() {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(nil, sys.GetCallerPC()))
	}
	m.predictClear()
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(value, sys.GetCallerPC()))
	}
	return m.predictLoadOrStore(key, value)
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(nil, sys.GetCallerPC()))
	}
	return m.predictLoadAndDelete(key)
}

func (m *Map) Delete(key any) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(nil, sys.GetCallerPC()))
	}
	m.predictDelete(key)
}

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(value, sys.GetCallerPC()))
	}
	return m.predictSwap(key, value)
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(new, sys.GetCallerPC()))
	}
	return m.predictCompareAndSwap(key, old, new)
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	if predictrt.Mode != 0 {
		defer predictrt.Restore(m.predictRMW(nil, sys.GetCallerPC()))
	}
	return m.predictCompareAndDelete(key, old)
}

func (m *Map) Range(f func(key, value any) bool) {
	if predictrt.Mode == 0 {
		m.predictRange(f)
		return
	}
	s := m.predictRMW(nil, sys.GetCallerPC())
	defer predictrt.Restore(s)
	m.predictRange(func(key, value any) bool {
		inner := predictrt.Unmute()
		defer predictrt.Restore(inner)
		return f(key, value)
	})
}
