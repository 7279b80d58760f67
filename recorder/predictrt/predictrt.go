// Package predictrt holds the source of the run-time library that lands
// inside the tested program: package predictrt of the standard library, as
// far as that program's build can tell. It is not compiled as part of this
// module; recorder/hooks adds it to the build by an overlay. Its own
// documentation is in _src/doc.go.
package predictrt

import (
	"embed"
	"io/fs"
)

//go:embed all:_src
var src embed.FS

// Files returns the source files of the library by base name.
func Files() (map[string][]byte, error) {
	entries, err := fs.ReadDir(src, "_src")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(entries))
	for _, e := range entries {
		text, err := fs.ReadFile(src, "_src/"+e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = text
	}
	return files, nil
}
