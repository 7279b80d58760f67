package recorder

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Build is an instrumented build, ready to run.
type Build struct {
	conf        *Config
	overlay     string // path of the overlay file
	vetted      vetResult
	inputsKnown bool // go list names all files that the tested packages are built from

	// Tested are the packages that the command line asks for, by import path.
	Tested []Package
	// Properties are those that the tests declare.
	Properties []properties.Declaration
	// Sites are the places that the rewriter instrumented.
	Sites []trace.Site
	once  sync.Once
	table *trace.SiteTable // of Sites; made when it is first needed
	// dirs has the folders of the rewritten packages, by import path.
	dirs      map[string]string
	unmatched []string
	leftOut   map[string]bool              // import paths of packages that were not selected
	skipped   map[string][]rewrite.Skipped // by the tested package's import path, sorted by file
}

// Prepare loads the packages, and writes what the instrumented build needs into c.Work, or takes
// it from the user's cache. It may choose another go command for this process and set c.Env
// accordingly: see Adopt in package gotool. A command line that cannot be served is a
// [*UsageError].
func Prepare(ctx context.Context, c *Config) (*Build, error) {
	if err := c.Check(); err != nil {
		return nil, err // before any file is written
	}
	var err error
	if c.Env, err = c.Env.MakeOverlayable(c.Work); err != nil {
		return nil, err
	}
	std, err := c.standard(ctx)
	if err != nil {
		return nil, err
	}
	stdOverlay := filepath.Join(c.Work, "std.json")
	if err := writeOverlay(stdOverlay, std); err != nil {
		return nil, err
	}
	c.announce("loading packages")
	in, err := c.inputs(ctx, stdOverlay)
	if err != nil {
		return nil, err
	}
	if b, err := c.restoreBuild(in, std); b != nil || err != nil {
		return b, err
	}
	b, replace, err := c.build(ctx, std, stdOverlay)
	if err == nil {
		b.inputsKnown = in != nil
		b.storeBuild(in, replace)
	}
	return b, err
}

// build makes a build with the overlay of the standard library, which is in the file
// stdOverlay, too. It returns the overlay of the rewritten files.
func (c *Config) build(ctx context.Context, std map[string]string, stdOverlay string) (*Build, map[string]string, error) {
	l, err := c.load(ctx, stdOverlay)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends go vet if the rest fails
	vetting := make(chan vetResult, 1)
	if len(c.ShimCommand) > 0 {
		go func() { vetting <- c.vet(ctx, c.vetOverlay(l.tested, stdOverlay)) }()
	} else { // no tests run that vetting could fail
		vetting <- vetResult{}
	}
	declared, calls, err := l.declaredProperties()
	if err != nil {
		return nil, nil, err
	}
	c.announce(fmt.Sprintf("instrumenting %d packages", len(l.rewrite)))
	dir := filepath.Join(c.Work, "src")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	res, err := rewrite.Rewrite(l.rewrite, dir, rewrite.Options{InstrumentAll: c.InstrumentAll, AtomicMethods: c.AtomicMethods, Release: c.Env.GOVERSION, ImportedElsewhere: l.importedElsewhere, EventMethods: calls})
	if err != nil {
		return nil, nil, err
	}
	if err := dateByContent(res.Overlay); err != nil {
		return nil, nil, err
	}
	b := &Build{
		conf:       c,
		overlay:    filepath.Join(c.Work, overlayName),
		Tested:     l.tested,
		Properties: declared,
		Sites:      res.Sites,
		dirs:       l.dirs(),
		unmatched:  l.unmatched,
		leftOut:    l.leftOut,
	}
	for i := range b.Sites {
		b.Sites[i].File = c.Env.WithoutModCacheAlias(b.Sites[i].File)
	}
	c.announce("compiling")
	maps.Copy(std, c.relocated.overlay)
	skipped, err := b.compile(ctx, std, res.Overlay)
	if err != nil {
		return nil, nil, err
	}
	b.skipped = l.skippedIn(slices.Concat(res.Skipped, l.skipped, skipped))
	for _, files := range b.skipped {
		for i := range files {
			files[i].File = c.Env.WithoutModCacheAlias(files[i].File)
		}
		slices.SortFunc(files, func(a, b rewrite.Skipped) int { return strings.Compare(a.File, b.File) })
	}
	c.announce("vetting")
	b.vetted = <-vetting
	return b, res.Overlay, b.vetted.err
}

// overlayName is that of the overlay file of a build in its folder.
const overlayName = "overlay.json"

// SkippedFiles returns the files of p's test binary that were not instrumented though their
// packages were selected.
func (b *Build) SkippedFiles(p Package) []rewrite.Skipped { return b.skipped[p.Path] }

// IsUninstrumented reports whether the package of that import path is part of the build and was
// not selected for instrumentation.
func (b *Build) IsUninstrumented(path string) bool { return b.leftOut[path] }

// SiteTable returns the table of the build's sites.
func (b *Build) SiteTable() *trace.SiteTable {
	b.once.Do(func() { b.table = trace.NewSiteTable(b.Sites) })
	return b.table
}

// AddSites adds the sites of the build to t. It replaces the names of files in t by their real
// paths if -trimpath has shortened them or the module cache is known by an alias.
func (b *Build) AddSites(t *trace.Trace) {
	b.SiteTable().AddTo(t)
	for id, s := range t.Sites {
		file := s.File
		if filepath.IsAbs(file) {
			s.File = b.conf.Env.WithoutModCacheAlias(file)
		} else if dir, ok := b.dirs[path.Dir(file)]; ok {
			s.File = filepath.Join(dir, path.Base(file))
		}
		if s.File != file {
			t.Sites[id] = s
		}
	}
}
