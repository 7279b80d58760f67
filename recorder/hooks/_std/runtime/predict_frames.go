package runtime

import (
	"internal/abi"
	"internal/stringslite"
)

// predictFuncID returns the ID of a function whose ID and name are given. The functions that package
// rewrite has added to a file of the program are like the wrappers that the compiler makes: no stack
// has them, which is what the program would find without them. They lie behind the file's last line.
func predictFuncID(id abi.FuncID, datap *moduledata, name int32) abi.FuncID {
	if id == abi.FuncIDNormal && datap != nil && stringslite.Index(datap.funcName(name), "._gopredict_") >= 0 {
		return abi.FuncIDWrapper
	}
	return id
}
