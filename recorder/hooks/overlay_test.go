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
	for _, toolchain := range []string{"local", otherRelease} {
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

// Where nothing can be written, that is why, and not the release.
func TestOverlayOnFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o666))
	_, err := Overlay(goEnv(t, ""), dir, nil)
	var path *fs.PathError
	require.ErrorAs(t, err, &path)
	require.NotContains(t, err.Error(), Supported)
}
