package recorder

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/rewrite"
)

// A Package is a package whose tests were asked for.
type Package struct {
	Path     string // import path
	Dir      string // absolute
	HasTests bool
	// Broken is set if the package or its test does not load or type-check:
	// go test reports the error, in the user's own sources.
	Broken bool
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest | packages.NeedEmbedFiles

// loaded is the result of loading packages.
type loaded struct {
	tested []Package // sorted by Path
	// rewrite has the packages to instrument, with syntax and types: all variants of the tested
	// packages and of their dependencies, if they are selected.
	rewrite []*packages.Package
	// folders has, for each tested package by its import path, the folders of all packages in its
	// test binary.
	folders   map[string]map[string]bool
	skipped   []rewrite.Skipped
	unmatched []string // patterns of Config.InstrumentPatterns
	leftOut   map[string]bool
	imported  map[string]bool // import paths in packages that are not rewritten
}

// importedElsewhere reports whether a package that is not rewritten imports the one with a path.
func (l *loaded) importedElsewhere(path string) bool { return l.imported[path] }

// load finds the tested packages and reads those to rewrite. The overlay file has the instrumented
// standard library. So the export data that load reads is that of the library in the test binary,
// which is compiled once.
func (c *Config) load(ctx context.Context, overlay string) (*loaded, error) {
	patterns := c.Args.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, err := c.packages(ctx, overlay, true, patterns)
	if err != nil {
		return nil, err
	}
	c.noteRuntimeImports(reachable(roots))
	c.addOwn(reachable(roots))
	if modules := c.cachedModules(reachable(roots)); len(modules) > 0 {
		if err := c.relocate(ctx, modules); err != nil {
			return nil, err
		}
		if err := addToOverlay(overlay, c.relocated.overlay); err != nil {
			return nil, err
		}
		if roots, err = c.packages(ctx, overlay, true, patterns); err != nil {
			return nil, err
		}
	}
	all := reachable(roots)
	l := &loaded{tested: tested(roots), unmatched: c.unmatched(all), leftOut: make(map[string]bool), folders: folders(roots)}
	have := make(map[string]bool) // import paths of packages with syntax
	for _, p := range roots {
		have[p.PkgPath] = true
	}
	var deps []string
	for _, p := range all {
		if !c.selected(p) {
			l.leftOut[p.PkgPath] = true
		} else if !have[p.PkgPath] && p.ForTest == "" {
			have[p.PkgPath] = true
			deps = append(deps, p.PkgPath)
		}
	}
	if len(deps) > 0 {
		slices.Sort(deps)
		more, err := c.packages(ctx, overlay, false, deps)
		if err != nil {
			return nil, err
		}
		roots = append(roots, more...)
	}
	broken := brokenPaths(roots)
	defer l.noteImports(all)
	for _, p := range roots {
		if !c.selected(p) || isTestMain(p) {
			continue
		}
		if err := readable(p, runtime.Version()); err != nil {
			return nil, err
		}
		if !broken[testedPath(p)] {
			l.rewrite = append(l.rewrite, p)
			continue
		}
		for _, file := range p.GoFiles {
			l.skipped = append(l.skipped, rewrite.Skipped{File: file, Reason: brokenReason(p)})
		}
	}
	return l, nil
}

// readable returns an error if p's module needs a newer Go version than this program was built
// with: it could not read any file of the module.
func readable(p *packages.Package, built string) error {
	if p.Module == nil || !version.IsValid(built) {
		return nil
	}
	needed := "go" + p.Module.GoVersion
	if version.Compare(version.Lang(needed), version.Lang(built)) <= 0 {
		return nil
	}
	return &UsageError{fmt.Sprintf("%s is written in %s, and this gopredict was built with %s, which cannot read it: "+
		"build gopredict with %[2]s or a newer one (GOTOOLCHAIN=%[4]s go install github.com/gopredict/gopredict@latest)",
		p.Module.Path, version.Lang(needed), built, toolchain(needed))}
}

// toolchain returns the name of the oldest release of a Go version: that of the
// language "go1.27" is "go1.27.0".
func toolchain(v string) string {
	if strings.Count(v, ".") == 1 && !strings.Contains(v, "rc") {
		return v + ".0"
	}
	return v
}

// brokenReason says why the files of p, of which a variant does not load, are not instrumented. If
// they compile nevertheless, their accesses are not recorded.
func brokenReason(p *packages.Package) string {
	switch {
	case len(p.Errors) > 0:
		return "the package cannot be read: " + firstError(p.Errors[0].Msg)
	case p.IllTyped:
		return "the package imports what cannot be read"
	case p.ForTest == "":
		return "the package does not compile with its tests"
	}
	return "the package does not compile without its tests"
}

// firstError returns the first line of what the go command has printed, without its heading.
func firstError(out string) string {
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "# ") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(out)
}

// noteImports sets l.imported. It ignores the main packages of tests, which only call package
// testing.
func (l *loaded) noteImports(all []*packages.Package) {
	rewritten := make(map[string]bool)
	for _, p := range l.rewrite {
		rewritten[p.PkgPath] = true
	}
	l.imported = make(map[string]bool)
	for _, p := range all {
		if !rewritten[p.PkgPath] && !isTestMain(p) {
			for path := range p.Imports {
				l.imported[path] = true
			}
		}
	}
}

// packages loads packages, with their tests or without.
func (c *Config) packages(ctx context.Context, overlay string, tests bool, patterns []string) ([]*packages.Package, error) {
	roots, err := packages.Load(&packages.Config{
		Mode:       loadMode,
		Context:    ctx,
		Dir:        c.Dir,
		Env:        append(os.Environ(), c.relocated.env...),
		BuildFlags: append(c.Args.LoadFlags(), c.buildFlags(overlay)...),
		Tests:      tests,
	}, patterns...)
	if err != nil {
		return nil, loadError(ctx, err)
	}
	packages.Visit(roots, nil, dropOpenErrors)
	return roots, nil
}

// dropOpenErrors removes errors of p because a file could not be opened: files that only the
// overlay has. The go command knows these, but go/packages looks on the disk. They declare nothing
// that users see. The errors of p's imports have been removed before.
func dropOpenErrors(p *packages.Package) {
	p.Errors = slices.DeleteFunc(p.Errors, func(e packages.Error) bool {
		file, _, _ := strings.Cut(e.Pos, ":")
		_, err := os.Stat(file)
		return e.Kind == packages.ParseError && filepath.IsAbs(file) && os.IsNotExist(err)
	})
	p.IllTyped = len(p.Errors) > 0
	for _, imp := range p.Imports {
		p.IllTyped = p.IllTyped || imp.IllTyped
	}
}

// reachable returns roots and what they import.
func reachable(roots []*packages.Package) []*packages.Package {
	var all []*packages.Package
	packages.Visit(roots, nil, func(p *packages.Package) { all = append(all, p) })
	return all
}

// folders returns, for each tested package of the roots of a load with tests,
// the folders of the packages that its test binary is made of.
func folders(roots []*packages.Package) map[string]map[string]bool {
	all := make(map[string]map[string]bool)
	for _, root := range roots {
		path := testedPath(root)
		if all[path] == nil {
			all[path] = make(map[string]bool)
		}
		for _, p := range reachable([]*packages.Package{root}) {
			if file := firstFile(p); file != "" {
				all[path][filepath.Dir(file)] = true
			}
		}
	}
	return all
}

// skippedIn returns, for each tested package by its import path, those of the skipped files that
// are in its test binary.
func (l *loaded) skippedIn(skipped []rewrite.Skipped) map[string][]rewrite.Skipped {
	out := make(map[string][]rewrite.Skipped)
	for path, folders := range l.folders {
		for _, s := range skipped {
			if folders[filepath.Dir(s.File)] {
				out[path] = append(out[path], s)
			}
		}
	}
	return out
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
	if _, said, ok := strings.Cut(err.Error(), "stderr: "); ok && !isTransient(said) {
		return &UsageError{"go list: " + strings.TrimPrefix(strings.TrimSpace(said), "go: ")}
	}
	return fmt.Errorf("loading packages: %w", err)
}

// isTransient reports whether an error message of the go command is about the network, the disk or
// its cache. Then the command line is not wrong, and may work the next time.
func isTransient(said string) bool {
	return slices.ContainsFunc([]string{
		"dial tcp", "i/o timeout", "connection refused", "connection reset", "TLS handshake", "Service Unavailable", "Bad Gateway",
		"no space left on device", "failed to initialize build cache", "read-only file system",
	}, func(text string) bool { return strings.Contains(said, text) })
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

// tested returns the tested packages of the roots of a load with tests.
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

// brokenPaths returns the import paths of packages of which a variant has errors. None of their
// files is rewritten, so that the compiler's messages are about the user's own files.
func brokenPaths(roots []*packages.Package) map[string]bool {
	broken := make(map[string]bool)
	for _, p := range roots {
		if isBroken(p) {
			broken[testedPath(p)] = true
		}
	}
	return broken
}

func isBroken(p *packages.Package) bool { return len(p.Errors) > 0 || p.IllTyped }
