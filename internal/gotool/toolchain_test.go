package gotool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAliasIsStable(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	modules := filepath.Join(t.TempDir(), "mod")
	require.NoError(t, os.MkdirAll(filepath.Join(modules, "m@v1"), 0o755))
	env := Env{GOMODCACHE: modules}

	require.NoError(t, env.LinkModCache(t.TempDir()))
	alias := env.ModCacheAlias
	require.DirExists(t, filepath.Join(alias, "m@v1"))
	require.False(t, env.InModCache(alias))
	file := filepath.Join(modules, "m@v1", "m.go")
	require.Equal(t, filepath.Join(alias, "m@v1", "m.go"), env.ViaModCacheAlias(file))
	require.Equal(t, file, env.WithoutModCacheAlias(env.ViaModCacheAlias(file)))
	require.Equal(t, modules+"x", env.ViaModCacheAlias(modules+"x"))

	require.NoError(t, os.Remove(alias))
	require.NoError(t, os.Symlink("elsewhere", alias)) // damaged
	for range 2 {
		again := Env{GOMODCACHE: modules}
		require.NoError(t, again.LinkModCache(t.TempDir()))
		require.Equal(t, alias, again.ModCacheAlias)
		target, err := os.Readlink(alias)
		require.NoError(t, err)
		require.Equal(t, modules, target)
	}
	other := Env{GOMODCACHE: cache}
	require.NoError(t, other.LinkModCache(t.TempDir()))
	require.NotEqual(t, alias, other.ModCacheAlias)
	left, err := os.ReadDir(filepath.Dir(alias))
	require.NoError(t, err)
	require.Len(t, left, 2, "temporary files are left behind")
}

func TestAliasWithoutUserCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	t.Setenv("XDG_CACHE_HOME", file) // no folder can be made below
	t.Setenv("HOME", file)
	fallback := t.TempDir()
	env := Env{GOMODCACHE: "/modules"}
	require.NoError(t, env.LinkModCache(fallback))
	require.Equal(t, fallback, filepath.Dir(env.ModCacheAlias))
	env = Env{GOMODCACHE: "/modules"}
	require.Error(t, env.LinkModCache(file))
}

func TestAdopt(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", "/bin")
	t.Setenv("GOROOT", "")
	t.Setenv("GOTOOLCHAIN", "go1.27.4")
	local := Env{GOROOT: "/usr/local/go", GOMODCACHE: "/modules"}
	got, err := local.MakeOverlayable(t.TempDir())
	require.NoError(t, err)
	require.Equal(t, local, got)
	require.Equal(t, "/bin", os.Getenv("PATH"))

	goroot := filepath.Join("/modules", "golang.org", "toolchain@v0.0.1-go1.27.4")
	got, err = Env{GOROOT: goroot, GOMODCACHE: "/modules"}.MakeOverlayable(t.TempDir())
	require.NoError(t, err)
	require.Equal(t, filepath.Base(goroot), filepath.Base(got.GOROOT))
	require.NotEqual(t, goroot, got.GOROOT)
	require.Equal(t, got.GOROOT, os.Getenv("GOROOT"))
	require.Equal(t, "local", os.Getenv("GOTOOLCHAIN"))
	require.Equal(t, []string{
		"GOROOT=" + goroot, "GOTOOLCHAIN=go1.27.4",
		"PATH=" + filepath.Join(goroot, "bin") + string(filepath.ListSeparator) + "/bin",
	}, got.TestVariables)
}

func TestWithVariables(t *testing.T) {
	env := []string{"A=1", "B=2", "AB=3", "C"}
	require.Equal(t, []string{"AB=3", "C", "A=x=y"}, WithVariables(env, []string{"B", "A=x=y"}))
	require.Equal(t, env, WithVariables(env, nil))
}
