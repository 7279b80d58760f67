// Package predictrt holds the source of the run-time library that lands
// inside the tested program: package predictrt of the standard library, as
// far as that program's build can tell. It is not compiled as part of this
// module; recorder/hooks adds it to the build by an overlay. Its own
// documentation is in _src/doc.go.
package predictrt

import (
	"embed"
	"io/fs"
	"strings"
)

//go:generate go run ./mkkinds

//go:embed all:_src
var src embed.FS

// Unwritten ends the name of a file that stands beside a trace which could not be written to
// its end, as the disk was full, say: the program has nobody else to tell.
const Unwritten = ".unwritten"

// Files returns the source files of the library, and of package inside below it, by
// their names, "inside/inside.go".
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
	return files, err
}
