//go:build unix

package runtime

import (
	"internal/stringslite"
	"unsafe"
)

// predictIsRequested reports whether GOPREDICT_RT is set, before the runtime has read the
// environment.
func predictIsRequested() bool {
	if argv == nil {
		return false
	}
	for i := argc + 1; argv_index(argv, i) != nil; i++ {
		p := argv_index(argv, i)
		s := unsafe.String(p, findnull(p))
		if len(s) > len(predictEnvName) && stringslite.HasPrefix(s, predictEnvName) {
			return true
		}
	}
	return false
}
