package witness

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Files gives source files the names that witnesses and reports have. The names are the same on
// every machine, with forward slashes:
//
//	bank/account.go                       inside the folder Root
//	std/sync/mutex.go                     of the standard library
//	golang.org/x/sync@v0.1.0/sem/sem.go   in the module cache
//
// Other files keep their paths. A field that is "" has no files.
type Files struct {
	Root     string // of the main module or workspace
	GOROOT   string
	ModCache string
}

// Name returns the name of a file, given by its path.
func (f Files) Name(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if rel, ok := relativeTo(filepath.Join(f.GOROOT, "src"), path); ok && f.GOROOT != "" {
		return "std/" + rel
	}
	if rel, ok := relativeTo(f.ModCache, path); ok {
		return unescape(rel)
	}
	if rel, ok := relativeTo(f.Root, path); ok {
		return rel
	}
	if rel, ok := f.inOtherGOROOT(path); ok {
		return "std/" + rel
	}
	return path
}

// inOtherGOROOT finds a file of another GOROOT in this one. The go command takes compiled packages
// of the standard library from its cache whatever the GOROOT was, and these packages have its old
// name.
func (f Files) inOtherGOROOT(path string) (rel string, ok bool) {
	_, rel, ok = strings.Cut(filepath.ToSlash(path), "/src/")
	if !ok || f.GOROOT == "" {
		return "", false
	}
	_, err := os.Stat(filepath.Join(f.GOROOT, "src", filepath.FromSlash(rel)))
	return rel, err == nil
}

// Path returns the path of the file that Name gave a name.
func (f Files) Path(name string) string {
	file := filepath.FromSlash(name)
	if filepath.IsAbs(file) {
		return file
	}
	own := filepath.Join(f.Root, file)
	if _, err := os.Stat(own); err == nil {
		return own
	}
	module, _, _ := strings.Cut(name, "@")
	if rel, ok := strings.CutPrefix(name, "std/"); ok && f.GOROOT != "" {
		return filepath.Join(f.GOROOT, "src", filepath.FromSlash(rel))
	}
	if module != name && f.ModCache != "" {
		return filepath.Join(f.ModCache, filepath.FromSlash(escape(module)+name[len(module):]))
	}
	return own
}

// Shorten replaces the paths in a text by names.
func (f Files) Shorten(text string) string {
	for _, place := range [][2]string{{filepath.Join(f.GOROOT, "src"), "std/"}, {f.ModCache, ""}, {f.Root, ""}} {
		if filepath.IsAbs(place[0]) {
			text = strings.ReplaceAll(text, place[0]+string(filepath.Separator), place[1])
		}
	}
	return text
}

// relativeTo returns path relative to dir, with forward slashes; ok is false if it is not inside.
func relativeTo(dir, path string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, ok := strings.CutPrefix(filepath.Clean(path), strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rel), ok
}

// escape and unescape convert between a module's path and its path in the module cache, which has
// "!x" for "X", for file systems that ignore case.
func escape(module string) string {
	var b strings.Builder
	for _, r := range module {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func unescape(name string) string {
	module, rest, found := strings.Cut(name, "@")
	if !found {
		return name
	}
	var b strings.Builder
	up := false
	for _, r := range module {
		switch {
		case r == '!':
			up = true
			continue
		case up:
			r = unicode.ToUpper(r)
		}
		up = false
		b.WriteRune(r)
	}
	return b.String() + "@" + rest
}
