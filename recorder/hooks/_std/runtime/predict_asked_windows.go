package runtime

import "unsafe"

// predictIsRequested reports whether GOPREDICT_RT is set, before the runtime has read the
// environment. It may not allocate.
func predictIsRequested() bool {
	block := unsafe.Pointer(stdcall(_GetEnvironmentStringsW)) // "a=b\0c=d\0\0" in UTF-16
	found := false
	for p := block; !found && *(*uint16)(p) != 0; p = add(p, 2) {
		same := 0 // number of characters equal to predictEnvName; -1: another name
		for ; *(*uint16)(p) != 0; p = add(p, 2) {
			if same >= 0 && same < len(predictEnvName) && *(*uint16)(p) == uint16(predictEnvName[same]) {
				same++
			} else if same == len(predictEnvName) {
				found = true // and it has a value
			} else {
				same = -1
			}
		}
	}
	stdcall(_FreeEnvironmentStringsW, uintptr(block))
	return found
}
