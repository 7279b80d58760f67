package gotool

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// LinkModCache gives the module cache another name, Env.Alias. The go command
// refuses overlays of files beneath GOMODCACHE, and goes by their names: those
// under the alias can be replaced. It is a symbolic link in the user's cache
// folder, or in fallback where there is none, with a name that is always the
// same, so that what is built through it is found in the build cache.
func (e *Env) LinkModCache(fallback string) error {
	if e.ModCacheAlias != "" {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(e.GOMODCACHE))
	name := fmt.Sprintf("modcache-%016x", h.Sum64())
	folders := []string{fallback}
	cache, err := os.UserCacheDir()
	if err == nil {
		folders = []string{filepath.Join(cache, "gopredict"), fallback}
	}
	for _, folder := range folders {
		alias := filepath.Join(folder, name)
		failed := makeSymlink(e.GOMODCACHE, alias)
		if failed == nil {
			e.ModCacheAlias = alias
			return nil
		}
		err = errors.Join(err, failed)
	}
	return err
}

// makeSymlink makes name a symbolic link to target, whatever it was before. Other
// processes that do the same at the same time see it whole.
func makeSymlink(target, name string) error {
	if old, err := os.Readlink(name); err == nil && old == target {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(name), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	fresh := filepath.Join(temp, "link")
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, name)
}

// ViaModCacheAlias names a file of the module cache by way of the alias.
func (e Env) ViaModCacheAlias(path string) string {
	return replaceFolder(path, e.GOMODCACHE, e.ModCacheAlias)
}

// WithoutModCacheAlias is the inverse of Aliased.
func (e Env) WithoutModCacheAlias(path string) string {
	return replaceFolder(path, e.ModCacheAlias, e.GOMODCACHE)
}

// InModCache reports whether path lies in the module cache.
func (e Env) InModCache(path string) bool { return isInFolder(path, e.GOMODCACHE) }

// replaceFolder names a file that lies in one folder as if it lay in another; any
// other file keeps its name.
func replaceFolder(path, from, to string) string {
	if !isInFolder(path, from) {
		return path
	}
	return filepath.Join(to, strings.TrimPrefix(path, from))
}

func isInFolder(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)))
}

// MakeOverlayable makes the files of e's toolchain ones that an overlay may replace. One
// that GOTOOLCHAIN has downloaded lies in the module cache; then the Env that
// is returned names it by way of the cache's alias, and the go commands
// that this process runs from now on are those of that toolchain. Tests are to
// see the environment that they would see without: Env.Tests.
func (e Env) MakeOverlayable(fallback string) (Env, error) {
	if !e.InModCache(e.GOROOT) {
		return e, nil
	}
	if err := e.LinkModCache(fallback); err != nil {
		return e, fmt.Errorf("the toolchain %s lies in the module cache, where the go command allows no overlay, and cannot be linked to from elsewhere: %w", e.GOVERSION, err)
	}
	path := func(goroot string) string {
		return filepath.Join(goroot, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	}
	goroot := "GOROOT=" + e.GOROOT // set by a go command that hands over to that of the toolchain
	if command, err := exec.LookPath("go"); err == nil && isInFolder(command, e.GOROOT) {
		goroot = EnvironmentVariable("GOROOT")
	}
	e.TestVariables = []string{goroot, EnvironmentVariable("GOTOOLCHAIN"), "PATH=" + path(e.GOROOT)}
	e.GOROOT = e.ViaModCacheAlias(e.GOROOT)
	return e, errors.Join(os.Setenv("GOROOT", e.GOROOT), os.Setenv("GOTOOLCHAIN", "local"), os.Setenv("PATH", path(e.GOROOT)))
}

// EnvironmentVariable returns an environment variable as NAME=VALUE; just the NAME, if it
// is not set.
func EnvironmentVariable(name string) string {
	if v, ok := os.LookupEnv(name); ok {
		return name + "=" + v
	}
	return name
}

// WithVariables returns the environment env with other values for some
// Variables: NAME=VALUE sets one, NAME takes it away.
func WithVariables(env, variables []string) []string {
	set := make(map[string]bool)
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		set[name] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return set[name]
	})
	values := slices.DeleteFunc(slices.Clone(variables), func(v string) bool { return !strings.Contains(v, "=") })
	return append(kept, values...)
}
