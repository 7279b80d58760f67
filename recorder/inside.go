package recorder

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/rewrite"
)

// handed are the packages of the standard library that work on memory which a
// program hands to them, other than by way of others of them. What they access on
// behalf of the program has events, at the program's call. Of package fmt it is
// what scans that does; what prints only has buffers of its own.
var handed = []string{
	"bufio", "bytes", "container/heap", "container/list", "container/ring",
	"encoding/base64", "encoding/binary", "encoding/hex", "flag", "fmt", "internal/reflectlite",
	"io", "maps", "math/big", "math/rand", "math/rand/v2", "net/textproto", "net/url",
	"reflect", "slices", "sort", "strings", "unicode/utf8",
}

// inside returns an overlay of the packages handed, with hooks. It depends on nothing
// but the Go release, what it is built for, and this program, and is kept in the
// user's cache: to make it takes seconds.
func (c *Config) inside(ctx context.Context) (map[string]string, error) {
	dir, err := c.insideDir()
	if err != nil {
		return nil, err
	}
	index := filepath.Join(dir, "overlay.json")
	if data, err := os.ReadFile(index); err == nil {
		var kept overlayFile
		if json.Unmarshal(data, &kept) == nil && present(kept.Replace) {
			now := time.Now()
			os.Chtimes(dir, now, now) // it is in use: see prune
			return kept.Replace, nil
		}
	}
	c.phase("instrumenting the standard library")
	pkgs, err := packages.Load(&packages.Config{
		Mode:       loadMode | packages.NeedDeps,
		Context:    ctx,
		Dir:        c.Dir,
		BuildFlags: c.Args.LoadFlags(),
	}, handed...)
	if err != nil {
		return nil, loadError(ctx, err)
	}
	// A package in a newer language than this program was built with is left as it is;
	// what others import of it they get by its declarations.
	for _, p := range pkgs {
		p.IllTyped = len(p.Errors) > 0
	}
	res, err := rewrite.Rewrite(pkgs, dir, rewrite.Options{Inside: true, Release: c.Env.GOVERSION, Imports: func(string) bool { return true }})
	if err != nil {
		return nil, err
	}
	for file := range res.Overlay {
		if filepath.Base(filepath.Dir(file)) == "fmt" && filepath.Base(file) != "scan.go" {
			delete(res.Overlay, file)
		}
	}
	prune(filepath.Dir(dir))
	return res.Overlay, writeOverlay(index, res.Overlay)
}

// insideDir is the folder that inside keeps its files in.
func (c *Config) insideDir() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprintln(h, c.Env.GOROOT, c.Env.GOVERSION, c.Env.GOOS, c.Env.GOARCH, c.Env.GOFLAGS, c.Args.LoadFlags(), info.Size(), info.ModTime().UnixNano())
	cache, _ := os.UserCacheDir() // where there is none, the user's packages have theirs, too
	dir := filepath.Join(cmp.Or(cache, c.Work), "gopredict", fmt.Sprintf("%s%016x", insidePrefix, h.Sum64()))
	if os.MkdirAll(dir, 0o777) != nil {
		dir = filepath.Join(c.Work, filepath.Base(dir))
	}
	return dir, os.MkdirAll(dir, 0o777)
}

const insidePrefix = "std-"

// present reports whether the files are there that an overlay names.
func present(replace map[string]string) bool {
	for _, file := range replace {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return len(replace) > 0
}

// prune removes what other builds of this program have kept in the cache, and
// nobody has used for a month.
func prune(cache string) {
	old, _ := filepath.Glob(filepath.Join(cache, insidePrefix+"*"))
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}
