package gotool

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
)

// Alias returns another name of the module cache. The go command refuses
// overlays of files beneath GOMODCACHE, and goes by their names: those under
// the alias can be replaced. It is a symbolic link in the user's cache folder,
// or in fallback where there is none, with a name that is always the same, so
// that what is built through it is found in the build cache.
func (e Env) Alias(fallback string) (string, error) {
	h := fnv.New64a()
	h.Write([]byte(e.GOMODCACHE))
	name := fmt.Sprintf("modcache-%016x", h.Sum64())
	dir, err := os.UserCacheDir()
	if err == nil {
		alias := filepath.Join(dir, "gopredict", name)
		if err = link(e.GOMODCACHE, alias); err == nil {
			return alias, nil
		}
	}
	alias := filepath.Join(fallback, name)
	if other := link(e.GOMODCACHE, alias); other != nil {
		return "", errors.Join(err, other)
	}
	return alias, nil
}

// link makes name a symbolic link to target, whatever it was before. Other
// processes that do the same at the same time see it whole.
func link(target, name string) error {
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

// aliased returns path as named by way of alias, and whether it lies in the
// module cache at all.
func (e Env) aliased(path, alias string) (string, bool) {
	rel, err := filepath.Rel(e.GOMODCACHE, path)
	if e.GOMODCACHE == "" || err != nil || !filepath.IsLocal(rel) {
		return path, false
	}
	return filepath.Join(alias, rel), true
}

// Adopt makes the files of e's toolchain ones that an overlay may replace. One
// that GOTOOLCHAIN has downloaded lies in the module cache; then the Env that
// is returned names it by way of the cache's [Env.Alias], and the go commands
// that this process runs from now on are those of that toolchain. Tests are to
// see the environment that they would see without: Env.Tests.
func (e Env) Adopt(fallback string) (Env, error) {
	if _, ok := e.aliased(e.GOROOT, ""); !ok {
		return e, nil
	}
	alias, err := e.Alias(fallback)
	if err != nil {
		return e, fmt.Errorf("the toolchain %s lies in the module cache, where the go command allows no overlay, and cannot be linked to from elsewhere: %w", e.GOVERSION, err)
	}
	path := func(goroot string) string {
		return filepath.Join(goroot, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	}
	e.Tests = []string{"GOROOT=" + e.GOROOT, variable("GOTOOLCHAIN"), "PATH=" + path(e.GOROOT)}
	e.GOROOT, _ = e.aliased(e.GOROOT, alias)
	for _, v := range []string{"GOROOT=" + e.GOROOT, "GOTOOLCHAIN=local", "PATH=" + path(e.GOROOT)} {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return e, err
		}
	}
	return e, nil
}

// variable returns an environment variable as NAME=VALUE; just the NAME, if it
// is not set.
func variable(name string) string {
	if v, ok := os.LookupEnv(name); ok {
		return name + "=" + v
	}
	return name
}

// WithVariables returns the environment env with other values for some
// variables: NAME=VALUE sets one, NAME takes it away.
func WithVariables(env, variables []string) []string {
	set := make(map[string]bool)
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		set[name] = true
	}
	var out []string
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !set[name] {
			out = append(out, v)
		}
	}
	for _, v := range variables {
		if strings.Contains(v, "=") {
			out = append(out, v)
		}
	}
	return out
}
