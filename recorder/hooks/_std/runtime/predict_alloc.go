package runtime

// PredictLogsAllocations has the hook Allocated called from now on, by the way that the runtime
// has for debugging its allocator.
func PredictLogsAllocations() { debug.malloc = true }

// predictAllocated is called then when an object has been made.
func predictAllocated(addr, size uintptr, typ *_type) {
	if !predictIsUser() || predictHooks.Allocated == nil {
		return
	}
	hash := uint32(0)
	if typ != nil {
		hash = typ.Hash
	}
	predictHooks.Allocated(addr, size, hash)
}
