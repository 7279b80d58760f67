package hooks

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOverlayKeepsLines(t *testing.T) {
	target := goEnv(t, "")
	replace, err := Overlay(target, t.TempDir(), nil)
	require.NoError(t, err)
	for file, backing := range replace {
		old, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // added
		}
		require.NoError(t, err)
		patched, err := os.ReadFile(backing)
		require.NoError(t, err)
		require.Equal(t, bytes.Count(old, []byte("\n")), bytes.Count(patched, []byte("\n")), file)
	}
}

func TestOverlayIsStable(t *testing.T) {
	target := goEnv(t, "")
	dir := t.TempDir()
	first, err := Overlay(target, dir, nil)
	require.NoError(t, err)
	before := map[string]os.FileInfo{}
	for _, f := range first {
		before[f], err = os.Stat(f)
		require.NoError(t, err)
	}
	second, err := Overlay(target, dir, nil)
	require.NoError(t, err)
	require.Equal(t, first, second)
	for f, info := range before {
		now, err := os.Stat(f)
		require.NoError(t, err)
		require.Equal(t, info.ModTime(), now.ModTime(), f)
	}
	require.Equal(t, filepath.Join(dir, "predictrt", "init.go"), first[filepath.Join(target.GOROOT, "src", "predictrt", "init.go")])
}

func TestOverlayOfEachSystem(t *testing.T) {
	for _, toolchain := range toolchains {
		target := goEnv(t, toolchain)
		dir := t.TempDir()
		for _, system := range []string{"linux/386", "linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "freebsd/amd64", "windows/amd64"} {
			target.GOOS, target.GOARCH, _ = strings.Cut(system, "/")
			_, err := Overlay(target, dir, nil)
			require.NoError(t, err)
		}
	}
}

func TestOverlayRefusesUnknownRelease(t *testing.T) {
	target := goEnv(t, "")
	for _, version := range []string{"go1.25.3", "go1.28", "go1.261", "devel", ""} {
		target.GOVERSION = version
		_, err := Overlay(target, t.TempDir(), nil)
		require.ErrorContains(t, err, "expected Go 1.26.x and 1.27.x", version)
	}
}

func TestOverlayNamesMissingAnchor(t *testing.T) {
	target := goEnv(t, "")
	fake := t.TempDir()
	from := filepath.Join(target.GOROOT, "src", "runtime")
	require.NoError(t, os.CopyFS(filepath.Join(fake, "src", "runtime"), os.DirFS(from)))
	file := filepath.Join(fake, "src", "runtime", "chan.go")
	target.GOROOT = fake
	text, err := os.ReadFile(file)
	require.NoError(t, err)

	replaced := bytes.ReplaceAll(text, []byte("c.qcount--"), []byte("c.qcount -= 1"))
	require.NoError(t, os.WriteFile(file, replaced, 0o666))
	_, err = Overlay(target, t.TempDir(), nil)
	require.ErrorContains(t, err, "chan.go: chanrecv: expected `c.qcount--` in its body, found none")
	require.ErrorContains(t, err, Supported)

	replaced = bytes.ReplaceAll(text, []byte("func closechan("), []byte("func shutchan("))
	require.NoError(t, os.WriteFile(file, replaced, 0o666))
	_, err = Overlay(target, t.TempDir(), nil)
	require.ErrorContains(t, err, "expected a declaration of closechan, found none")
}

// Each row of a tree that does not fit is told by itself, of releases that have none, too.
func TestMisfits(t *testing.T) {
	target := goEnv(t, "")
	all, misfits := Mismatches(target)
	require.Empty(t, misfits)
	fake := t.TempDir()
	for _, pkg := range packages(target.GOVERSION) {
		if pkg == "database/sql" { // as if there were none
			continue
		}
		dir := filepath.Join("src", filepath.FromSlash(pkg))
		require.NoError(t, os.MkdirAll(filepath.Join(fake, dir), 0o777))
		files, err := filepath.Glob(filepath.Join(target.GOROOT, dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			require.NoError(t, os.Symlink(file, filepath.Join(fake, dir, filepath.Base(file))))
		}
	}
	for file, change := range map[string][2]string{
		"runtime/chan.go": {"c.qcount--", "c.qcount -= 1"},
		"sync/once.go":    {"func (o *Once) Do(", "func (o *Once) Done("},
	} {
		file = filepath.Join(fake, "src", filepath.FromSlash(file))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte(change[0]), []byte(change[1])), 0o666))
	}
	target.GOROOT, target.GOVERSION = fake, "devel go1.28-0123456789"
	rows, misfits := Mismatches(target)
	require.InDelta(t, all, rows, 10)
	var text []string
	for _, m := range misfits {
		text = append(text, m.Error())
	}
	require.Contains(t, strings.Join(text, "\n"), "chanrecv: expected `c.qcount--` in its body, found none")
	require.Contains(t, strings.Join(text, "\n"), "sync: expected a declaration of (*Once).Do, found none")
	require.Contains(t, strings.Join(text, "\n"), "database/sql: ")
}

// Where nothing can be written, that is why, and not the release.
func TestOverlayOnFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o666))
	_, err := Overlay(goEnv(t, ""), dir, nil)
	var path *fs.PathError
	require.ErrorAs(t, err, &path)
	require.NotContains(t, err.Error(), Supported)
}
