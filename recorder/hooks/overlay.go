package hooks

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/predictrt"
)

// std has the files that packages get in addition to their own, below the import path of each:
// what edits of the table call. The patched files stay as they are but for the calls. The folder
// begins with an underscore, so that the go command takes it for no package of this module.
//
//go:embed all:_std
var std embed.FS

// supported are the releases that the table was tried with. It might fit others, but an operation
// that they do in a new place would have no event.
var supported = regexp.MustCompile(`^go1\.(26|27)([.a-z -]|$)`)

// Supported says which Go releases Overlay works with.
const Supported = "Go 1.26.x and 1.27.x"

// CheckRelease returns an error if the table is not for the release goVersion, the output of "go
// env GOVERSION".
func CheckRelease(goVersion string) error {
	if !supported.MatchString(goVersion) {
		return fmt.Errorf("expected %s, found %q: the standard library of another release cannot be instrumented; select one with GOTOOLCHAIN", Supported, goVersion)
	}
	return nil
}

// A Target is what a build is for: the output of "go env" for these variables.
type Target struct{ GOROOT, GOVERSION, GOOS, GOARCH string }

// Overlay writes patched copies of the standard library's files in the build for a target, and the
// sources of package predictrt, below dir. The result maps the path of each file in the target's
// GOROOT to the file to compile instead, as the field Replace of the go command's -overlay file
// does. Files of GOROOT in rewritten are read from the paths that it maps them to.
//
// Equal input gives equal paths and contents, and files that are up to date are not written again,
// so that the go command's build cache stays valid.
//
// The error names the function or statement that was expected and not found.
func Overlay(target Target, dir string, rewritten map[string]string) (map[string]string, error) {
	if err := CheckRelease(target.GOVERSION); err != nil {
		return nil, err
	}
	o := &overlay{Target: target, dir: dir, replace: map[string]string{}, rewritten: rewritten}
	maps.Copy(o.replace, rewritten)
	for _, pkg := range packages(o.GOVERSION) {
		if err := o.patch(pkg); err != nil {
			// A full disk, say, is no misfit of the release; a missing file is.
			if _, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			return nil, fmt.Errorf("%s of %s for %s/%s: %w; gopredict works with %s", pkg, o.GOVERSION, o.GOOS, o.GOARCH, err, Supported)
		}
	}
	files, err := predictrt.Files()
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := o.add("predictrt", name, text); err != nil {
			return nil, err
		}
	}
	return o.replace, nil
}

// Mismatches returns how many rows the table has for a target, and an error for each row that does
// not fit its tree. For an unknown release, the rows are those of the supported release that fits
// best.
func Mismatches(target Target) (rows int, misfits []error) {
	releases := []string{target.GOVERSION}
	if CheckRelease(target.GOVERSION) != nil {
		releases = []string{"go1.26", "go1.27"}
	}
	for i, release := range releases {
		n, why := mismatchesOf(target, release)
		if i == 0 || len(why) < len(misfits) {
			rows, misfits = n, why
		}
	}
	return rows, misfits
}

// mismatchesOf is Mismatches for the rows of a release.
func mismatchesOf(target Target, release string) (rows int, misfits []error) {
	o := &overlay{Target: target}
	for _, pkg := range packages(release) {
		files, unread := o.readPackage(filepath.Join(o.GOROOT, "src", filepath.FromSlash(pkg)))
		for _, h := range table {
			if h.Package != pkg || !h.in(release) {
				continue
			}
			rows++
			if unread != nil {
				misfits = append(misfits, fmt.Errorf("%s: %s: %w", pkg, h.Decl, unread))
			} else if err := files.apply(h); err != nil {
				misfits = append(misfits, fmt.Errorf("%s: %w", pkg, err))
			}
		}
	}
	return rows, misfits
}

// An overlay is one that is being made. The keys of both maps are paths in GOROOT. replace is the
// result. rewritten has the files that package rewrite has instrumented already, because the user
// wants the standard library instrumented (-predict.pkgs=std); hooks go into these then.
type overlay struct {
	Target
	dir       string // for what is written: dir/sync/mutex.go stands for GOROOT/src/sync/mutex.go
	replace   map[string]string
	rewritten map[string]string
}

// packages returns the packages that the table has for a release, in its order.
func packages(release string) []string {
	var pkgs []string
	for _, h := range table {
		if h.in(release) && !slices.Contains(pkgs, h.Package) {
			pkgs = append(pkgs, h.Package)
		}
	}
	return pkgs
}

// patch makes all edits of a package, and adds its further files. It does not copy a file that has
// no edit. The methods of sync/atomic have no rows that could be missed, so at least as many must
// be found as there are functions that they call.
func (o *overlay) patch(pkg string) error {
	folder := filepath.Join(o.GOROOT, "src", filepath.FromSlash(pkg))
	files, err := o.readPackage(folder)
	if err != nil {
		return err
	}
	for _, h := range table {
		if h.Package != pkg || !h.in(o.GOVERSION) {
			continue
		}
		if err := files.apply(h); err != nil {
			return err
		}
	}
	if pkg == atomicTypes.Package {
		s, err := files.source("type.go")
		if err != nil {
			return err
		}
		if n := patchAtomicTypes(s); n < numAtomicFuncs {
			return fmt.Errorf("type.go: expected at least %d methods that call a function of the package, found %d", numAtomicFuncs, n)
		}
	}
	if pkg == "runtime" {
		s, err := files.source("malloc_generated.go")
		if err != nil {
			return err
		}
		if patchGeneratedAllocs(s) == 0 {
			return fmt.Errorf("malloc_generated.go: expected functions %v, found none", generatedAlloc)
		}
	}
	for name, s := range files.parsed {
		if len(s.splices) > 0 {
			if err := o.add(pkg, name, s.bytes()); err != nil {
				return err
			}
		}
	}
	added, err := fs.Glob(std, path.Join("_std", pkg, "*.go"))
	if err != nil {
		return err
	}
	for _, f := range added {
		text, err := std.ReadFile(f)
		if err != nil {
			return err
		}
		if err := o.add(pkg, path.Base(f), text); err != nil {
			return err
		}
	}
	return nil
}

// add writes text as a file of package pkg, unless the file is like that already.
func (o *overlay) add(pkg, name string, text []byte) error {
	sub := filepath.FromSlash(pkg)
	backing := filepath.Join(o.dir, sub, name)
	o.replace[filepath.Join(o.GOROOT, "src", sub, name)] = backing
	if old, err := os.ReadFile(backing); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(backing), 0o777); err != nil {
		return err
	}
	return os.WriteFile(backing, text, 0o666)
}

// A stdPackage is a package of the standard library, with the files of the build for the target.
type stdPackage struct {
	folder string
	text   map[string][]byte  // by file name, of all files
	parsed map[string]*source // files that a hook has needed, with their edits
	// declared has the files that may declare a function, method or type, by its name: to parse
	// all of package runtime takes long.
	declared map[string][]string
}

// declaration matches the beginning of a line that declares one of these.
var declaration = regexp.MustCompile(`^(?:func (?:\([^)]*\) )?|type )(\w+)`)

// readPackage reads the files of a package, and indexes what they declare without parsing them.
func (o *overlay) readPackage(folder string) (*stdPackage, error) {
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH = o.GOOS, o.GOARCH
	bp, err := ctxt.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	p := &stdPackage{folder: folder, text: map[string][]byte{}, parsed: map[string]*source{}, declared: map[string][]string{}}
	for _, name := range bp.GoFiles {
		file := filepath.Join(folder, name)
		if p.text[name], err = os.ReadFile(cmp.Or(o.rewritten[file], file)); err != nil {
			return nil, err
		}
		for line := range bytes.Lines(p.text[name]) {
			if !bytes.HasPrefix(line, []byte("func ")) && !bytes.HasPrefix(line, []byte("type ")) {
				continue
			}
			if m := declaration.FindSubmatch(line); m != nil {
				p.declared[string(m[1])] = append(p.declared[string(m[1])], name)
			}
		}
	}
	return p, nil
}

// source parses a file of the package once, so that all edits of the file are in one source.
func (p *stdPackage) source(name string) (*source, error) {
	if s := p.parsed[name]; s != nil {
		return s, nil
	}
	text, ok := p.text[name]
	if !ok {
		return nil, fmt.Errorf("expected a file %s, found none", name)
	}
	s, err := parseSource(filepath.Join(p.folder, name), text)
	if err == nil {
		p.parsed[name] = s
	}
	return s, err
}

// apply makes the edits of a hook, if it is for the target. It imports the packages whose names
// the text of an edit uses.
func (p *stdPackage) apply(h Hook) error {
	if first := h.edits[0]; first.at == inFile && p.text[first.anchor] == nil {
		return nil
	}
	name := h.Decl[strings.LastIndexAny(h.Decl, ". ")+1:]
	for _, file := range p.declared[name] {
		s, err := p.source(file)
		if err != nil {
			return err
		}
		decl := find(s.file, h.Decl)
		if decl == nil {
			continue
		}
		for _, e := range h.edits {
			if err := s.apply(decl, e); err != nil {
				return fmt.Errorf("%s: %s: %w", file, h.Decl, err)
			}
			for _, path := range []string{"predictrt", "runtime", "internal/runtime/sys", "unsafe"} {
				if strings.Contains(e.text, filepath.Base(path)+".") {
					s.require(path)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("expected a declaration of %s, found none", h.Decl)
}

// find returns the declaration that a row names; nil if f has none. A file may have several of one
// name: Lock is a method of Mutex and of RWMutex.
func find(f *ast.File, decl string) ast.Node {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if declName(d) == decl {
				return d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && "type "+t.Name.Name == decl {
					return t
				}
			}
		}
	}
	return nil
}

// declName returns the name of a function as rows have it: "newproc", "(*Mutex).Lock", or
// "reader.Read" for a method of a value.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	recv, pointer := ast.Unparen(d.Recv.List[0].Type), false
	if star, ok := recv.(*ast.StarExpr); ok {
		recv, pointer = star.X, true
	}
	switch t := recv.(type) { // a generic one is named without its parameters
	case *ast.IndexExpr:
		recv = t.X
	case *ast.IndexListExpr:
		recv = t.X
	}
	id, ok := recv.(*ast.Ident)
	switch {
	case !ok:
		return ""
	case pointer:
		return "(*" + id.Name + ")." + d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}
