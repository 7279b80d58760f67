package recorder

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/recorder/hooks"
	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Build is an instrumented build, ready to run.
type Build struct {
	conf    *Config
	overlay string // path of the overlay file
	vetted  vetted

	// Tested are the packages that the command line asks for, by import path.
	Tested []Package
	// Properties are those that the tests declare.
	Properties []properties.Declaration
	// Sites are the places that the rewriter instrumented.
	Sites []trace.Site
	once  sync.Once
	table *trace.SiteTable // of Sites, once it was needed
	// dirs holds the folders of the rewritten packages by import path.
	dirs      map[string]string
	folders   map[string]map[string]bool // see loaded.folders
	unmatched []string
	leftOut   map[string]bool // import paths
	skipped   []rewrite.Skipped
}

// Prepare loads the packages, and writes what the instrumented build needs
// into c.Work. It may choose another go command for this process and put it
// into c.Env, see Adopt in
// package gotool. A command line that cannot be served is a [*UsageError].
func Prepare(ctx context.Context, c *Config) (*Build, error) {
	if err := c.Check(); err != nil {
		return nil, err // before anything is made for it
	}
	var err error
	if c.Env, err = c.Env.Adopt(c.Work); err != nil {
		return nil, err
	}
	inside, err := c.inside(ctx)
	if err != nil {
		return nil, err
	}
	std, err := hooks.Overlay(hooks.Target{GOROOT: c.Env.GOROOT, GOVERSION: c.Env.GOVERSION, GOOS: c.Env.GOOS, GOARCH: c.Env.GOARCH}, filepath.Join(c.Work, "std"), inside)
	if err != nil {
		return nil, err
	}
	if err := date(std); err != nil {
		return nil, err
	}
	stdOverlay := filepath.Join(c.Work, "std.json")
	if err := writeOverlay(stdOverlay, std); err != nil {
		return nil, err
	}

	c.phase("loading packages")
	l, err := c.load(ctx, stdOverlay)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends go vet where the rest fails
	vetting := make(chan vetted, 1)
	if len(c.Shim) > 0 {
		go func() { vetting <- c.vet(ctx, c.vetOverlay(l.tested, stdOverlay)) }()
	} else { // no tests are run, and it is them that vetting fails
		vetting <- vetted{}
	}
	declared, calls, err := l.declared()
	if err != nil {
		return nil, err
	}
	c.phase(fmt.Sprintf("instrumenting %d packages", len(l.rewrite)))
	dir := filepath.Join(c.Work, "src")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	res, err := rewrite.Rewrite(l.rewrite, dir, rewrite.Options{All: c.InstrumentAll, AtomicMethods: c.AtomicMethods, Release: c.Env.GOVERSION, Imports: l.importedElsewhere, Calls: calls})
	if err != nil {
		return nil, err
	}
	if err := date(res.Overlay); err != nil {
		return nil, err
	}
	b := &Build{
		conf:       c,
		overlay:    filepath.Join(c.Work, "overlay.json"),
		Tested:     l.tested,
		Properties: declared,
		Sites:      res.Sites,
		skipped:    append(res.Skipped, l.skipped...),
		dirs:       l.dirs(),
		folders:    l.folders,

		unmatched: l.unmatched,
		leftOut:   l.leftOut,
	}
	for i := range b.Sites {
		b.Sites[i].File = c.Env.Unaliased(b.Sites[i].File)
	}
	c.phase("compiling")
	maps.Copy(std, c.relocated.overlay)
	skipped, err := b.compile(ctx, std, res.Overlay)
	if err != nil {
		return nil, err
	}
	b.skipped = append(b.skipped, skipped...)
	c.phase("vetting")
	b.vetted = <-vetting
	return b, b.vetted.err
}

// SkippedIn returns the files that were left as they are, though their packages
// were selected, of those that p's test binary is made of.
func (b *Build) SkippedIn(p Package) []rewrite.Skipped {
	var out []rewrite.Skipped
	for _, s := range b.skipped {
		if b.folders[p.Path][filepath.Dir(s.File)] {
			s.File = b.conf.Env.Unaliased(s.File)
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b rewrite.Skipped) int { return cmp.Compare(a.File, b.File) })
	return out
}

// LeftOut reports whether the package of that import path is part of the build
// and was not selected for instrumentation.
func (b *Build) LeftOut(path string) bool { return b.leftOut[path] }

// AddSites adds the sites of the build to t, and gives all of t the names of the
// files themselves, where -trimpath has shortened them to an import path and a
// name, or the module cache is known by its alias.
func (b *Build) AddSites(t *trace.Trace) {
	b.once.Do(func() { b.table = trace.NewSiteTable(b.Sites) })
	b.table.AddTo(t)
	for id, s := range t.Sites {
		file := s.File
		if filepath.IsAbs(file) {
			s.File = b.conf.Env.Unaliased(file)
		} else if dir, ok := b.dirs[path.Dir(file)]; ok {
			s.File = filepath.Join(dir, path.Base(file))
		}
		if s.File != file {
			t.Sites[id] = s
		}
	}
}
