package recorder

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"hash/crc32"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/hooks"
	"github.com/gopredict/gopredict/recorder/rewrite"
)

// instrumentedStd are the packages of the standard library that access memory of programs, or have
// a state that goroutines share, in their own code rather than by calls of others of them.
var instrumentedStd = []string{
	"archive/tar", "archive/zip", "bufio", "bytes", "compress/flate", "compress/gzip", "compress/lzw", "compress/zlib",
	"container/heap", "container/list", "container/ring",
	"crypto/cipher", "crypto/internal/fips140/aes", "crypto/internal/fips140/aes/gcm", "crypto/internal/fips140/hmac", "crypto/internal/fips140/sha256",
	"crypto/internal/fips140/sha3", "crypto/internal/fips140/sha512", "crypto/internal/fips140/subtle", "crypto/md5", "crypto/rc4", "crypto/sha1",
	"crypto/subtle",
	"encoding/ascii85", "encoding/base32", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "encoding/json", "encoding/pem",
	"errors", "flag", "fmt", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "hash/maphash", "image", "image/draw", "image/png", "internal/reflectlite",
	"io", "maps", "math/big", "math/rand", "math/rand/v2", "mime/multipart", "mime/quotedprintable", "net", "net/http", "net/http/httptest", "net/netip", "net/textproto", "net/url",
	"os/exec", "reflect", "regexp", "slices", "sort", "strconv", "strings", "text/tabwriter", "unicode/utf16", "unicode/utf8",
}

// instrumentedFiles lists, for packages most of whose files do not access memory of programs,
// those that do: what prints has buffers of its own, and a server its own goroutines.
var instrumentedFiles = map[string][]string{
	"compress/flate":    {"deflate.go", "inflate.go"},
	"fmt":               {"format.go", "print.go", "scan.go"},
	"image/png":         {"writer.go"},
	"net":               {"ip.go", "pipe.go"},
	"net/http":          {"cookie.go", "header.go", "request.go"},
	"net/http/httptest": {"recorder.go"},
	"regexp":            {"regexp.go"},
}

// operandFiles are those that have much memory of their own, as buffers, tables and keys, which
// programs know as parts of one object. They have hooks for what programs hand to them only.
var operandFiles = map[string][]string{
	"compress/flate":                  nil, // all
	"compress/lzw":                    nil,
	"crypto/cipher":                   nil,
	"crypto/internal/fips140/aes":     nil,
	"crypto/internal/fips140/aes/gcm": nil,
	"crypto/internal/fips140/sha3":    nil,
	"crypto/internal/fips140/subtle":  nil,
	"crypto/rc4":                      nil,
	"fmt":                             {"format.go", "print.go"},
	"image/png":                       nil,
}

// isOperandFile reports whether a file of the standard library is one of operandFiles.
func (c *Config) isOperandFile(file string) bool {
	pkg, _ := c.stdPackage(file)
	files, is := operandFiles[pkg]
	return is && (files == nil || slices.Contains(files, filepath.Base(file)))
}

// standard returns the overlay of the instrumented standard library: the packages of
// instrumentedStd with hooks on their accesses to memory, those of the table of package hooks, and
// the run-time library. It depends on nothing but the Go release, the system to build for, and
// this program. It is kept in the user's cache, because making it takes seconds.
func (c *Config) standard(ctx context.Context) (map[string]string, error) {
	dir, err := c.standardDir()
	if err != nil {
		return nil, err
	}
	if kept := keptStandard(dir); kept != nil {
		now := time.Now()
		os.Chtimes(dir, now, now) // for prune, which removes what was not used
		return kept, nil
	}
	c.announce("instrumenting the standard library")
	// In a new folder: another command may do the same, or read the final one.
	making, err := os.MkdirTemp(filepath.Dir(dir), standardPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(making)
	made, err := c.instrumentStd(ctx, making)
	if err != nil {
		return nil, err
	}
	target := hooks.Target{GOROOT: c.Env.GOROOT, GOVERSION: c.Env.GOVERSION, GOOS: c.Env.GOOS, GOARCH: c.Env.GOARCH}
	if made, err = hooks.Overlay(target, filepath.Join(making, "hooks"), made); err != nil {
		return nil, err
	}
	if err := dateByContent(made); err != nil {
		return nil, err
	}
	kept := standardFiles{Replace: make(map[string]string), Originals: originals(made)}
	for file, copied := range made {
		name, err := filepath.Rel(making, copied)
		if err != nil {
			return nil, err
		}
		kept.Replace[file] = filepath.Join(dir, name)
	}
	prune(filepath.Dir(dir))
	data, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(making, standardIndex), data, 0o644); err != nil {
		return nil, err
	}
	return kept.Replace, putStandard(making, dir)
}

// instrumentStd returns an overlay of the packages of instrumentedStd, with hooks, whose files are
// below dir.
func (c *Config) instrumentStd(ctx context.Context, dir string) (map[string]string, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       loadMode | packages.NeedDeps,
		Context:    ctx,
		Dir:        c.Dir,
		BuildFlags: c.Args.LoadFlags(),
		ParseFile:  c.parseStd,
	}, instrumentedStd...)
	if err != nil {
		return nil, loadError(ctx, err)
	}
	// A package that needs a newer Go version than this program was built with is not
	// instrumented. Its declarations suffice for packages that import it.
	for _, p := range pkgs {
		p.Errors = slices.DeleteFunc(p.Errors, func(e packages.Error) bool {
			return strings.HasSuffix(e.Msg, " and not used") // imports of files without bodies: see parseStd
		})
		p.IllTyped = len(p.Errors) > 0
	}
	res, err := rewrite.Rewrite(pkgs, dir, rewrite.Options{StandardLibrary: true, OnlyOperands: c.isOperandFile, Release: c.Env.GOVERSION, ImportedElsewhere: func(string) bool { return true }})
	if err != nil {
		return nil, err
	}
	overlay := make(map[string]string)
	for file, copied := range res.Overlay {
		if c.isInstrumentedStd(file) { // it is not if it is in the snapshot that GOFIPS140 selects
			overlay[file] = copied
		}
	}
	return overlay, nil
}

// parseStd parses a file of the standard library. It drops the bodies of functions in files that
// are not to be instrumented: they take most of the time and memory.
func (c *Config) parseStd(fset *token.FileSet, file string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(fset, file, src, parser.AllErrors|parser.ParseComments)
	if _, std := c.stdPackage(file); f == nil || !std || c.isInstrumentedStd(file) {
		return f, err
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "init" && d.Type.TypeParams == nil && !hasGenericReceiver(d) { // which must have bodies
			d.Body = nil
		}
	}
	return f, err
}

// hasGenericReceiver reports whether d is a method of a generic type.
func hasGenericReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	recv := d.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	_, ident := recv.(*ast.Ident)
	return !ident
}

// isInstrumentedStd reports whether a file is one of instrumentedStd and instrumentedFiles.
func (c *Config) isInstrumentedStd(file string) bool {
	pkg, ok := c.stdPackage(file)
	files, some := instrumentedFiles[pkg]
	return ok && slices.Contains(instrumentedStd, pkg) && (!some || slices.Contains(files, filepath.Base(file)))
}

// stdPackage returns the path of the package of the standard library that a file belongs to.
func (c *Config) stdPackage(file string) (pkg string, ok bool) {
	pkg, err := filepath.Rel(filepath.Join(c.Env.GOROOT, "src"), filepath.Dir(file))
	return filepath.ToSlash(pkg), err == nil && filepath.IsLocal(pkg)
}

// putStandard renames the complete folder making to dir, unless another command has done so
// meanwhile.
func putStandard(making, dir string) error {
	if err := os.Rename(making, dir); err == nil || keptStandard(dir) != nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil { // dir is damaged
		return err
	}
	return os.Rename(making, dir)
}

// standardFiles describes a folder with an instrumented standard library.
type standardFiles struct {
	Replace   map[string]string // as in an overlay
	Originals map[string]stamp  // of the files in GOROOT
}

// A stamp changes when a file changes; that of a missing file is zero.
type stamp struct{ Size, Changed int64 } // in bytes; in nanoseconds since 1970

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

// originals returns the stamps of the files that an overlay replaces.
func originals(replace map[string]string) map[string]stamp {
	out := make(map[string]stamp)
	for file := range replace {
		out[file] = stampOf(file)
	}
	return out
}

// keptStandard returns the overlay that standard has made in dir; nil if there is none, some of
// its files are missing, or those of GOROOT have changed.
func keptStandard(dir string) map[string]string {
	data, err := os.ReadFile(filepath.Join(dir, standardIndex))
	var kept standardFiles
	if err != nil || json.Unmarshal(data, &kept) != nil || !allExist(kept.Replace) || !maps.Equal(kept.Originals, originals(kept.Replace)) {
		return nil
	}
	return kept.Replace
}

// standardDir returns the folder in which standard keeps its files; the parent folder exists. Its
// name depends on what selects files of the standard library, and on this program, so it is the
// same for all modules.
func (c *Config) standardDir() (string, error) {
	self, err := selfID()
	if err != nil {
		return "", err
	}
	e := c.Env
	tags, _ := c.flag("tags")
	h := fnv.New64a()
	fmt.Fprintln(h, e.GOROOT, e.GOVERSION, e.GOOS, e.GOARCH, e.GOEXPERIMENT, e.CGO_ENABLED, e.GOFIPS140, tags, self)
	fmt.Fprintln(h, build.Default.CgoEnabled, build.Default.ToolTags) // package hooks selects files by these
	return filepath.Join(c.cacheDir(), fmt.Sprintf("%s%016x", standardPrefix, h.Sum64())), nil
}

// cacheDir returns the folder for what later commands reuse; it exists.
func (c *Config) cacheDir() string {
	user, _ := os.UserCacheDir() // without it, the folder of this run
	dir := filepath.Join(cmp.Or(user, c.Work), "gopredict")
	if os.MkdirAll(dir, 0o777) != nil {
		return c.Work
	}
	return dir
}

// selfID identifies this program.
var selfID = sync.OnceValues(func() (string, error) { return contentOf(os.Executable()) })

// contentOf returns the length and a checksum of a file. A program built again of the same sources
// has the same.
func contentOf(file string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli)) // processors have an instruction for it
	n, err := io.Copy(h, f)
	return fmt.Sprintf("%d %08x", n, h.Sum32()), err
}

const (
	standardPrefix = "std-"       // of the names of folders in the cache
	standardIndex  = "files.json" // in such a folder
)

// allExist reports whether all files of an overlay exist.
func allExist(replace map[string]string) bool {
	for _, file := range replace {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return len(replace) > 0
}

// prune removes what other versions of this program have kept in the cache and did not use for a
// month.
func prune(cache string) {
	old, _ := filepath.Glob(filepath.Join(cache, standardPrefix+"*"))
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}
