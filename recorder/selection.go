package recorder

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// trusted are patterns of packages whose memory accesses are never instrumented, besides those
// that the run-time library imports: packages that have its hooks, that its hooks call, or that
// have no goroutines of their own.
var trusted = []string{"internal/...", "runtime/...", "sync/...", "syscall/...", "testing", "time"}

// runtimeLibrary is the import path of the run-time library.
const runtimeLibrary = "predictrt"

// noteRuntimeImports notes what the run-time library imports. These packages cannot import it in
// turn.
func (c *Config) noteRuntimeImports(pkgs []*packages.Package) {
	c.runtimeImports = make(map[string]bool)
	for _, p := range pkgs {
		if p.PkgPath == runtimeLibrary {
			packages.Visit([]*packages.Package{p}, nil, func(p *packages.Package) { c.runtimeImports[p.PkgPath] = true })
		}
	}
}

// selected reports whether the memory accesses of p are to be instrumented.
func (c *Config) selected(p *packages.Package) bool {
	if c.runtimeImports[p.PkgPath] || c.inSnapshot(p) || c.inGoroot(p) && slices.ContainsFunc(trusted, func(t string) bool { return matches(t, p.PkgPath) }) {
		return false
	}
	if len(c.InstrumentPatterns) == 0 {
		return c.isOurs(p)
	}
	return slices.ContainsFunc(c.InstrumentPatterns, func(pattern string) bool { return c.matches(pattern, p) })
}

// addOwn adds the packages of the main module or workspace to those to instrument if no pattern
// matches any of them: a user who names packages of others wants these in addition.
func (c *Config) addOwn(pkgs []*packages.Package) {
	own := slices.ContainsFunc(pkgs, func(p *packages.Package) bool {
		return c.isOurs(p) && slices.ContainsFunc(c.InstrumentPatterns, func(pattern string) bool { return c.matches(pattern, p) })
	})
	if len(c.InstrumentPatterns) > 0 && !own {
		c.InstrumentPatterns = append([]string{"work"}, c.InstrumentPatterns...)
	}
}

// UnmatchedPatterns returns the patterns of Config.InstrumentPatterns that no package of the build
// matches.
func (b *Build) UnmatchedPatterns() []string { return b.unmatched }

func (c *Config) unmatched(pkgs []*packages.Package) []string {
	var out []string
	for _, pattern := range c.InstrumentPatterns {
		if !slices.ContainsFunc(pkgs, func(p *packages.Package) bool { return c.matches(pattern, p) }) {
			out = append(out, pattern)
		}
	}
	return out
}

// matches reports whether p matches a pattern as go list takes them.
func (c *Config) matches(pattern string, p *packages.Package) bool {
	switch pattern {
	case "all":
		return true
	case "std":
		return c.inGoroot(p)
	case "work":
		return c.isOurs(p)
	}
	file := firstFile(p)
	if file == "" {
		return false
	}
	if local := pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../"); local || filepath.IsAbs(pattern) {
		if local {
			pattern = path.Join(filepath.ToSlash(c.Dir), pattern)
		}
		return matches(filepath.ToSlash(pattern), filepath.ToSlash(filepath.Dir(file)))
	}
	return matches(pattern, testedPath(p))
}

// matches reports whether a path matches a pattern in which "..." stands for
// any string, and "/..." at the end for the empty one, too.
func matches(pattern, path string) bool {
	re := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if short, ok := strings.CutSuffix(re, `/.*`); ok {
		re = short + `(/.*)?`
	}
	ok, err := regexp.MatchString(`^`+re+`$`, path)
	return err == nil && ok
}

// isOurs reports whether p is a package of the main module or workspace.
// Packages named by their files belong to no module.
func (c *Config) isOurs(p *packages.Package) bool {
	if p.Module != nil {
		return p.Module.Main
	}
	return firstFile(p) != "" && !c.inGoroot(p) && !c.inSnapshot(p)
}

// inGoroot reports whether p belongs to the standard library.
func (c *Config) inGoroot(p *packages.Package) bool {
	return isUnder(firstFile(p), filepath.Join(c.Env.GOROOT, "src"))
}

// inSnapshot reports whether p belongs to the snapshot of the standard library's
// cryptography that GOFIPS140 asks for. The go command keeps that in the module cache,
// where files cannot be replaced, and it is no module's.
func (c *Config) inSnapshot(p *packages.Package) bool {
	return p.Module == nil && c.Env.InModCache(firstFile(p))
}

func firstFile(p *packages.Package) string {
	for _, files := range [][]string{p.GoFiles, p.OtherFiles} {
		if len(files) > 0 {
			return files[0]
		}
	}
	return ""
}
