package recorder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
)

// inputs is all that a prepared build depends on.
type inputs struct {
	key   [sha256.Size]byte
	files []string // of packages that may change, sorted
	read  content  // content of files that key depends on
}

// A content has hashes of the text of files, and of the times when files were last added to their
// folders or removed.
type content struct{ files, folders [sha256.Size]byte }

// A listedPackage is what go list says of a package, as far as a prepared build depends on it.
type listedPackage struct {
	ImportPath, Dir, Name string
	Standard              bool
	Imports               []string
	Module                *struct{ Main bool }
	GoFiles, CgoFiles, IgnoredGoFiles, IgnoredOtherFiles,
	CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string
	Error      *struct{ Err string }
	DepsErrors []*struct{ Err string }
}

// listedFields are the fields that go list prints. Some are not in listedPackage, but all are part
// of the key.
const listedFields = "ImportPath,Dir,Name,ForTest,Standard,Module,Imports,ImportMap,GoFiles,CgoFiles,IgnoredGoFiles,IgnoredOtherFiles," +
	"CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Error,DepsErrors"

// files returns the paths of the files that p is compiled from.
func (p *listedPackage) files() []string {
	var out []string
	if p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") {
		return nil // go test generates it
	}
	for _, names := range [][]string{
		p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles,
		p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles,
	} {
		for _, name := range names {
			out = append(out, filepath.Join(p.Dir, name))
		}
	}
	return out
}

// inputs returns what the build of c depends on, with the overlay file of the standard library. It
// returns nil if that is not known: a package has errors, or depends on a C compiler and its
// headers. It notes which packages of other modules are to be instrumented.
func (c *Config) inputs(ctx context.Context, overlay string) (*inputs, error) {
	args := []string{"list", "-e", "-test", "-deps", "-json=" + listedFields}
	args = append(args, c.Args.LoadFlags()...)
	args = append(args, "-overlay="+overlay, "--")
	args = append(args, c.Args.Packages...)
	out, err := gotool.OutputOf(ctx, c.command(ctx, args...))
	if err != nil {
		return nil, nil // loading reports the reason
	}
	h := sha256.New()
	if err := c.identify(h); err != nil {
		return nil, err
	}
	h.Write(out)
	own, fixed := make(map[string]bool), make(map[string]bool)
	var list []*listedPackage
	known := true
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what go list printed: %w", err)
		}
		list = append(list, &p)
		known = known && p.isKnown()
		for _, file := range p.files() {
			if p.Standard || c.Env.InModCache(file) {
				fixed[file] = true
			} else {
				own[file] = true
			}
		}
	}
	if c.foreign = importedForeign(list); !known {
		return nil, nil
	}
	for _, file := range slices.Sorted(maps.Keys(fixed)) {
		fmt.Fprintf(h, "%q %d\n", file, stampOf(file))
	}
	in := &inputs{files: slices.Sorted(maps.Keys(own))}
	in.read = contentOfAll(in.files)
	h.Write(in.read.files[:])
	h.Sum(in.key[:0])
	return in, nil
}

// isKnown reports whether go list names all files that p is compiled from.
func (p *listedPackage) isKnown() bool {
	cgo := len(p.CgoFiles) + len(p.SwigFiles) + len(p.SwigCXXFiles)
	return p.Error == nil && len(p.DepsErrors) == 0 && (p.Standard || cgo == 0)
}

// identify writes what c asks for, the version of this program, and the environment.
func (c *Config) identify(h hash.Hash) error {
	self, err := selfID()
	if err != nil {
		return err
	}
	vet, _ := c.flag("vet")
	fmt.Fprintf(h, "%s %q %+v\n", self, c.Dir, c.Env)
	fmt.Fprintf(h, "%q %q %q\n", c.Args.LoadFlags(), c.Args.Packages, c.InstrumentPatterns)
	fmt.Fprintf(h, "%t %t %t %q\n", c.InstrumentAll, c.AtomicMethods, len(c.ShimCommand) > 0, vet)
	for _, v := range slices.Sorted(slices.Values(os.Environ())) {
		if strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "CGO") {
			fmt.Fprintf(h, "%q\n", v)
		}
	}
	return nil
}

// contentOfAll reads files, which are sorted.
func contentOfAll(files []string) content {
	var all content
	h, dirs := sha256.New(), sha256.New()
	dir := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		fmt.Fprintf(h, "%q %t %d\n", file, err == nil, len(text))
		h.Write(text)
		if filepath.Dir(file) != dir {
			dir = filepath.Dir(file)
			fmt.Fprintf(dirs, "%q %d\n", dir, stampOf(dir))
		}
	}
	h.Sum(all.files[:0])
	dirs.Sum(all.folders[:0])
	return all
}
