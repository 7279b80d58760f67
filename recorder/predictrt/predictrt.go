// Package predictrt holds the source of the run-time library that is compiled into the tested
// program, where it is package predictrt of the standard library. It is not compiled as part of
// this module: recorder/hooks adds it to the build by an overlay. Its own documentation is in
// _src/doc.go.
package predictrt

import (
	"embed"
	"io/fs"
	"strings"
)

//go:generate go run ./mkkinds

//go:embed all:_src
var src embed.FS

// Unwritten ends the name of a file that the program makes next to a trace that it could not write
// to its end, as on a full disk.
const Unwritten = ".unwritten"

// Files returns the source files of the library, and of package inside below it, by their names,
// "inside/inside.go".
func Files() (map[string][]byte, error) {
	files := make(map[string][]byte)
	err := fs.WalkDir(src, "_src", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(src, name)
		files[strings.TrimPrefix(name, "_src/")] = text
		return err
	})
	files["atomicfuncs.go"] = atomicFuncs()
	return files, err
}

// InsideHooks returns the source of package inside.
func InsideHooks() []byte {
	text, err := src.ReadFile("_src/inside/inside.go")
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}

// atomicText is the source of the functions of package sync/atomic for one type of integers: NAME
// is what their names end in, and WORD the unsigned type that the library's own functions work
// on. Each has one more parameter, the site of the call. The compiler does not see that the generic
// functions keep no pointer; what p points to would be allocated.
const atomicText = `
//go:linkname LoadNAME
//go:linkname StoreNAME
//go:linkname SwapNAME
//go:linkname AddNAME
//go:linkname AndNAME
//go:linkname OrNAME
//go:linkname CompareAndSwapNAME

func LoadNAME(p *TYPE, site uint32) TYPE { return TYPE(load((*WORD)(noEscape(unsafe.Pointer(p))), site)) }
func StoreNAME(p *TYPE, v TYPE, site uint32) { store((*WORD)(noEscape(unsafe.Pointer(p))), WORD(v), site) }
func SwapNAME(p *TYPE, v TYPE, site uint32) TYPE { return TYPE(swap((*WORD)(noEscape(unsafe.Pointer(p))), WORD(v), site)) }
func AddNAME(p *TYPE, v TYPE, site uint32) TYPE { return TYPE(add((*WORD)(noEscape(unsafe.Pointer(p))), WORD(v), site)) }
func AndNAME(p *TYPE, v TYPE, site uint32) TYPE { return TYPE(and((*WORD)(noEscape(unsafe.Pointer(p))), WORD(v), site)) }
func OrNAME(p *TYPE, v TYPE, site uint32) TYPE { return TYPE(or((*WORD)(noEscape(unsafe.Pointer(p))), WORD(v), site)) }
func CompareAndSwapNAME(p *TYPE, old, new TYPE, site uint32) bool {
	return compareAndSwap((*WORD)(noEscape(unsafe.Pointer(p))), WORD(old), WORD(new), site)
}
`

// atomicFuncs returns the source of the library's functions for each type of integers.
func atomicFuncs() []byte {
	text := "package predictrt\n\nimport \"unsafe\"\n"
	for _, name := range []string{"Int32", "Uint32", "Int64", "Uint64", "Uintptr"} {
		integer := strings.ToLower(name)
		word := "u" + strings.TrimPrefix(integer, "u")
		text += strings.NewReplacer("NAME", name, "TYPE", integer, "WORD", word).Replace(atomicText)
	}
	return []byte(text)
}
