package rewrite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/sharing"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Result says what Rewrite has done.
type Result struct {
	// Overlay maps the absolute path of each rewritten file to its copy. It
	// is the content of the Replace object of the go command's -overlay file.
	Overlay map[string]string
	Sites   []trace.Site // of hooks, with numbers; of calls, without: see trace.AddSites
	Skipped []Skipped
}

// Skipped is a file that was left alone.
type Skipped struct {
	File   string // absolute path
	Reason string
}

// runtimeLibrary is the import path of the run-time library.
const runtimeLibrary = "predictrt"

// standardLibraryHooks is that of its part for packages of the standard library.
const standardLibraryHooks = runtimeLibrary + "/inside"

// Rewrite writes copies with hooks of the source files of pkgs below dir.
//
// The packages are those that go/packages loads with Tests set and with
// names, files, imports, types, sizes, syntax, type information, module and
// ForTest. Of those that have syntax, each source file that lies in its
// module's folder is rewritten once, in the variant of the package that has
// its tests. A copy is only written if it differs from what is there, and
// depends on nothing but its package's files, so that builds stay cached.
//
// Source files that cannot be handled are listed in the result with the reason;
// what the build generates is not mentioned. An error means that a file could
// not be read or written.
func Rewrite(pkgs []*packages.Package, dir string, o Options) (*Result, error) {
	if o.StandardLibrary {
		return rewrite(pkgs, dir, o, standardLibraryHooks)
	}
	return rewrite(pkgs, dir, o, runtimeLibrary)
}

// Options say how much to instrument.
type Options struct {
	// ImportedElsewhere reports whether code of the build that is not to be rewritten
	// imports the package with a path; nil stands for no such package.
	ImportedElsewhere func(path string) bool
	// Release is the version of Go that the copies will be built with, as go env
	// GOVERSION has it; "" stands for the newest.
	Release string
	// AtomicMethods marks the methods of structs that hold a mutex as atomic
	// regions, besides the functions that a comment marks.
	AtomicMethods bool
	// EventMethods are the methods of which calls have events, by types.Func.FullName.
	EventMethods map[string]bool
	// StandardLibrary says that the packages are of the standard library or another module. They get
	// hooks for accesses to memory only, which are logged at the call that led into them.
	StandardLibrary bool
	// OtherModule says that with StandardLibrary the packages are of another module. They get hooks for
	// the functions of sync/atomic, too, which order what they access.
	OtherModule bool
	// OnlyOperands reports whether a file of the standard library has hooks for memory that
	// callers hand to its functions only, as it works on much memory of its own.
	OnlyOperands func(file string) bool
	// InstrumentAll leaves out no access for what package sharing finds. Tests compare
	// with it.
	InstrumentAll bool
}

// rewrite is Rewrite with a run-time library at another import path.
func rewrite(pkgs []*packages.Package, dir string, o Options, importPath string) (*Result, error) {
	units, skipped := selectUnits(pkgs)
	written, spread := map[string]bool{}, map[int]bool{}
	for _, u := range units {
		u.facts = collectFacts(u.pkg.TypesInfo, u.pkg.Syntax, func(f *ast.File) bool { return !isOlder(u.version(f), "go1.22") })
		for key := range u.facts.globals {
			written[key] = true
		}
		maps.Copy(spread, u.facts.loopBodiesInGoroutines)
		u.facts.loopBodiesInGoroutines = spread // a loop may be in another package than the iterator
	}
	shared, values := &sharing.Facts{}, &provenance.Facts{} // which know nothing
	if !o.InstrumentAll {
		list, opens := analysedPackages(pkgs, units, o)
		facts, program := sharing.Analyze(list, opens)
		if o.StandardLibrary {
			shared = facts.WithoutBranches()
		} else {
			shared, values = facts, provenance.Derive(program, list, len(o.EventMethods) > 0)
		}
	}
	if err := eachInParallel(units, func(u *packageUnit) error { return u.editFiles(written, shared, values, o, importPath) }); err != nil {
		return nil, err
	}
	res := &Result{Overlay: map[string]string{}}
	var editors []*editor
	for _, u := range units {
		editors = append(editors, u.editors...)
		skipped = append(skipped, u.skipped...)
	}
	slices.SortFunc(editors, func(a, b *editor) int { return cmp.Compare(a.path, b.path) })
	slices.SortFunc(skipped, func(a, b Skipped) int { return cmp.Compare(a.File, b.File) })
	res.Skipped = slices.Compact(skipped)
	res.Sites = numberSites(editors)
	for _, e := range editors {
		for _, l := range e.findAtomics() {
			if l.onlyCounts() {
				res.Sites = append(res.Sites, l.site(e.path))
			}
		}
	}
	res.Sites = attachFormulas(editors, values, res.Sites)
	for _, u := range units {
		for _, e := range u.editors {
			if !e.hooked {
				continue
			}
			name := filepath.Join(dir, u.copyFolder(e.path), filepath.Base(e.path))
			if err := writeChanged(name, e.text); err != nil {
				return nil, err
			}
			res.Overlay[e.path] = name
		}
	}
	return res, nil
}

// analysedPackages returns the packages of the units, and a function that reports
// whether others import a package.
func analysedPackages(pkgs []*packages.Package, units []*packageUnit, o Options) ([]*packages.Package, func(string) bool) {
	var list []*packages.Package
	in := map[string]bool{}
	for _, u := range units {
		list = append(list, u.pkg)
		in[u.pkg.PkgPath] = true
	}
	imported := map[string]bool{}
	for _, p := range pkgs {
		if !in[p.PkgPath] {
			for path := range p.Imports {
				imported[path] = true
			}
		}
	}
	return list, func(path string) bool {
		return imported[path] || o.ImportedElsewhere != nil && o.ImportedElsewhere(path)
	}
}

// eachInParallel calls f for each unit, on as many goroutines as there are
// processors, and returns the errors in the units' order.
func eachInParallel(units []*packageUnit, f func(*packageUnit) error) error {
	errs := make([]error, len(units))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, u := range units {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = f(u)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// writeChanged writes text to the file name unless that is its content.
func writeChanged(name, text string) error {
	old, err := os.ReadFile(name)
	if err == nil && bytes.Equal(old, []byte(text)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("writing an instrumented file: %w", err)
	}
	// A reader must never see half a file: another run may share the folder.
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("writing an instrumented file: %w", err)
	}
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Chmod(0o666), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
		return fmt.Errorf("writing an instrumented file: %w", err)
	}
	return nil
}
