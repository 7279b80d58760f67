package recorder

import (
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Package is a package whose tests were asked for.
type Package struct {
	Path     string // import path
	Dir      string // absolute
	HasTests bool
	// Broken is set if the package or its test does not load or type-check:
	// go test will say so, on the user's own sources.
	Broken bool
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// loaded is what the loader found.
type loaded struct {
	tested []Package // sorted by Path
	// rewrite holds the packages to instrument, with syntax and types: all
	// variants of the tested ones and of those that they depend on, as far as
	// they belong to the main module or to another one of the workspace.
	rewrite []*packages.Package
}

// load finds the tested packages and reads those to rewrite. overlay names an
// overlay file that holds the instrumented standard library, so that the one
// whose export data is read here is the one that the test is linked with, and
// is compiled once.
func (c *Config) load(ctx context.Context, overlay string) (*loaded, error) {
	conf := &packages.Config{
		Mode:       loadMode,
		Context:    ctx,
		Dir:        c.Dir,
		Fset:       token.NewFileSet(),
		BuildFlags: append(c.Args.LoadFlags(), "-overlay="+overlay),
		Tests:      true,
	}
	patterns := c.Args.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, err := packages.Load(conf, patterns...)
	if err != nil {
		return nil, loadError(ctx, err)
	}
	l := &loaded{tested: tested(roots)}
	have := make(map[string]bool) // import paths that were read from source
	for _, p := range roots {
		have[p.PkgPath] = true
	}
	var deps []string
	packages.Visit(roots, nil, func(p *packages.Package) {
		if c.isOurs(p) && !have[p.PkgPath] && p.ForTest == "" {
			have[p.PkgPath] = true
			deps = append(deps, p.PkgPath)
		}
	})
	if len(deps) > 0 {
		slices.Sort(deps)
		conf.Tests = false
		more, err := packages.Load(conf, deps...)
		if err != nil {
			return nil, loadError(ctx, err)
		}
		roots = append(roots, more...)
	}
	broken := brokenPaths(roots)
	for _, p := range roots {
		if c.isOurs(p) && !isTestMain(p) && !broken[testedPath(p)] {
			l.rewrite = append(l.rewrite, p)
		}
	}
	return l, nil
}

// dirs returns the folders of the packages to rewrite, by import path.
func (l *loaded) dirs() map[string]string {
	dirs := make(map[string]string)
	for _, p := range l.rewrite {
		if len(p.GoFiles) > 0 {
			dirs[testedPath(p)] = filepath.Dir(p.GoFiles[0])
		}
	}
	return dirs
}

// loadError returns the error of a load that failed as a whole. The usual
// reason is that the go command refuses its flags or the module's go.mod.
func loadError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, said, ok := strings.Cut(err.Error(), "stderr: "); ok {
		return &UsageError{"go list: " + strings.TrimPrefix(strings.TrimSpace(said), "go: ")}
	}
	return fmt.Errorf("loading packages: %w", err)
}

// isOurs reports whether p is a package of the main module or workspace.
// Packages named by their files belong to no module.
func (c *Config) isOurs(p *packages.Package) bool {
	if p.Module != nil {
		return p.Module.Main
	}
	return len(p.GoFiles) > 0 && !under(p.GoFiles[0], c.Env.GOROOT)
}

// isTestMain reports whether p is the main package that go test generates.
func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test")
}

// testedPath returns the import path of the package that p is a variant of:
// itself, it with its test files, its external test, or its test's main.
func testedPath(p *packages.Package) string {
	switch {
	case p.ForTest != "":
		return p.ForTest
	case isTestMain(p):
		return strings.TrimSuffix(p.ID, ".test")
	}
	return p.PkgPath
}

// tested returns the packages that the roots of a load with tests stand for.
func tested(roots []*packages.Package) []Package {
	broken := brokenPaths(roots)
	byPath := make(map[string]*Package)
	for _, p := range roots {
		path := testedPath(p)
		t := byPath[path]
		if t == nil {
			t = &Package{Path: path, Broken: broken[path]}
			byPath[path] = t
		}
		if isTestMain(p) {
			t.HasTests = true
		} else if t.Dir == "" && len(p.GoFiles) > 0 {
			t.Dir = filepath.Dir(p.GoFiles[0])
		}
	}
	var out []Package
	for _, t := range byPath {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// brokenPaths finds the packages of which some variant has errors. None of
// their files is rewritten, so that the compiler's messages, which may point
// into any of them, are about the user's own.
func brokenPaths(roots []*packages.Package) map[string]bool {
	broken := make(map[string]bool)
	for _, p := range roots {
		if len(p.Errors) > 0 || p.IllTyped {
			broken[testedPath(p)] = true
		}
	}
	return broken
}
