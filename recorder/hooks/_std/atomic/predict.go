package atomic

import (
	"internal/runtime/sys"
	"predictrt"
	"unsafe"
)

// Each method here stands in front of the one whose name begins with predict,
// which is the original.

func (v *Value) Load() (val any) {
	if predictrt.Mode == 0 {
		return v.predictLoad()
	}
	op := predictrt.Begin(predictrt.AtomicLoad, unsafe.Pointer(v), sys.GetCallerPC())
	val = v.predictLoad()
	op.Done(0)
	return val
}

func (v *Value) Store(val any) {
	if predictrt.Mode != 0 {
		predictrt.Log(predictrt.AtomicStore, unsafe.Pointer(v), 0, sys.GetCallerPC())
	}
	v.predictStore(val)
}

func (v *Value) Swap(new any) (old any) {
	if predictrt.Mode != 0 {
		predictrt.Log(predictrt.AtomicRMW, unsafe.Pointer(v), 0, sys.GetCallerPC())
	}
	return v.predictSwap(new)
}

func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	if predictrt.Mode != 0 {
		predictrt.Log(predictrt.AtomicRMW, unsafe.Pointer(v), 0, sys.GetCallerPC())
	}
	return v.predictCompareAndSwap(old, new)
}
