package hooks

import (
	"go/ast"
	"regexp"
)

// ownAlloc is the first statement of the runtime's functions that allocate: the recorder gets
// memory of its own.
const ownAlloc = "if p := predictOwnAlloc(size); p != nil { return p };"

// generatedAlloc matches the names of the functions for one size that the compiler may call in
// place of mallocgc.
var generatedAlloc = regexp.MustCompile(`^mallocgc(Tiny|SmallScanNoHeader|SmallNoScan)(SC|Size)\d+$`)

// patchGeneratedAllocs puts ownAlloc into those of s, and returns how many it has found.
func patchGeneratedAllocs(s *source) int {
	found := 0
	for _, d := range s.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && generatedAlloc.MatchString(fn.Name.Name) {
			found++
			s.insert(fn.Body.Lbrace+1, " "+ownAlloc)
		}
	}
	return found
}
