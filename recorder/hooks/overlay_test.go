package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOverlayKeepsLines(t *testing.T) {
	goroot, version := goEnv(t, "")
	replace, err := Overlay(goroot, version, t.TempDir(), nil)
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
	goroot, version := goEnv(t, "")
	dir := t.TempDir()
	first, err := Overlay(goroot, version, dir, nil)
	require.NoError(t, err)
	before := map[string]os.FileInfo{}
	for _, f := range first {
		before[f], err = os.Stat(f)
		require.NoError(t, err)
	}
	second, err := Overlay(goroot, version, dir, nil)
	require.NoError(t, err)
	require.Equal(t, first, second)
	for f, info := range before {
		now, err := os.Stat(f)
		require.NoError(t, err)
		require.Equal(t, info.ModTime(), now.ModTime(), f)
	}
	require.Equal(t, filepath.Join(dir, "predictrt", "init.go"), first[filepath.Join(goroot, "src", "predictrt", "init.go")])
}

func TestOverlayOfNewerRelease(t *testing.T) {
	goroot, version := goEnv(t, otherRelease)
	require.Equal(t, otherRelease, version)
	_, err := Overlay(goroot, version, t.TempDir(), nil)
	require.NoError(t, err)
}

func TestOverlayRefusesUnknownRelease(t *testing.T) {
	goroot, _ := goEnv(t, "")
	for _, version := range []string{"go1.25.3", "go1.28", "go1.261", "devel", ""} {
		_, err := Overlay(goroot, version, t.TempDir(), nil)
		require.ErrorContains(t, err, "expected Go 1.26.x and 1.27.x", version)
	}
}

func TestOverlayNamesMissingAnchor(t *testing.T) {
	goroot, version := goEnv(t, "")
	fake := t.TempDir()
	from := filepath.Join(goroot, "src", "runtime")
	require.NoError(t, os.CopyFS(filepath.Join(fake, "src", "runtime"), os.DirFS(from)))
	file := filepath.Join(fake, "src", "runtime", "chan.go")
	text, err := os.ReadFile(file)
	require.NoError(t, err)

	replaced := bytes.ReplaceAll(text, []byte("c.qcount--"), []byte("c.qcount -= 1"))
	require.NoError(t, os.WriteFile(file, replaced, 0o666))
	_, err = Overlay(fake, version, t.TempDir(), nil)
	require.ErrorContains(t, err, "chan.go: chanrecv: expected `c.qcount--` in its body, found none")
	require.ErrorContains(t, err, Supported)

	replaced = bytes.ReplaceAll(text, []byte("func closechan("), []byte("func shutchan("))
	require.NoError(t, os.WriteFile(file, replaced, 0o666))
	_, err = Overlay(fake, version, t.TempDir(), nil)
	require.ErrorContains(t, err, "expected a declaration of closechan, found none")
}
