package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Packages of other modules that the program's own packages import have hooks as the standard
// library has: what they access is logged at the program's call. The go command allows no overlay
// of files in the module cache; so [RunTool], which it runs the compiler through, hands the
// compiler copies with hooks. The go command keeps what was compiled, by the package's own files,
// so a module is instrumented once and not in each build.

// compilerMark begins the value of the compiler's flag -D of packages that are to be instrumented.
// The compiler makes nothing of it, but the go command tells what was compiled with it from what
// was not. The version of this program follows.
const compilerMark = "gopredict:"

// moduleFlags returns the flags that make the go command instrument packages of other modules.
// There are none where the user selects packages, or has flags of the same names.
func (c *Config) moduleFlags() []string {
	for _, name := range []string{"toolexec", "gcflags"} {
		if _, given := c.flag(name); given {
			return nil
		}
	}
	self, err := selfID()
	command, joined := gotool.JoinWords(append(slices.Clone(c.ToolCommand), ""))
	if len(c.ToolCommand) == 0 || len(c.InstrumentPatterns) > 0 || len(c.foreign) == 0 || err != nil || joined != nil {
		return nil
	}
	h := fnv.New64a()
	io.WriteString(h, self)
	flags := []string{"-toolexec=" + command}
	for _, path := range c.foreign {
		flags = append(flags, fmt.Sprintf("-gcflags=%s=-D=%s%016x", path, compilerMark, h.Sum64()))
	}
	return flags
}

// importedForeign returns the packages of other modules that the main module's or workspace's own
// packages and tests import, but for those that only these tools know.
func importedForeign(list []*listedPackage) []string {
	foreign := make(map[string]bool) // by import path
	for _, p := range list {
		foreign[p.ImportPath] = !p.Standard && p.Module != nil && !p.Module.Main && !strings.HasPrefix(p.ImportPath+"/", ownModule)
	}
	var paths []string
	for _, p := range list {
		if p.Standard || p.Module == nil || !p.Module.Main {
			continue
		}
		for _, path := range p.Imports {
			if path, _, _ := strings.Cut(path, " "); foreign[path] { // a variant for a test: "path [test]"
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ownModule begins the import paths of what users of this program import.
const ownModule = "github.com/gopredict/gopredict/"

// A compilation is one call of the compiler.
type compilation struct {
	args      []string
	firstFile int    // index of the first source file in args
	path      string // import path
	importcfg string
	trimpath  int // index of the value of -trimpath in args; 0 if it is not given
	version   string
	marked    bool
}

// compilationOf returns the call of the compiler that args describe; marked is not set if it is of
// another tool, or of a package that is not to be instrumented.
func compilationOf(args []string) compilation {
	c := compilation{args: slices.Clone(args)}
	if name := filepath.Base(args[0]); strings.TrimSuffix(name, ".exe") != "compile" {
		return c
	}
	c.firstFile = len(args)
	for c.firstFile > 1 && strings.HasSuffix(args[c.firstFile-1], ".go") {
		c.firstFile--
	}
	for i := 1; i < c.firstFile; i++ {
		value := ""
		if i+1 < c.firstFile {
			value = args[i+1]
		}
		switch arg := args[i]; {
		case arg == "-p":
			c.path = value
		case arg == "-importcfg":
			c.importcfg = value
		case arg == "-trimpath":
			c.trimpath = i + 1
		case strings.HasPrefix(arg, "-lang="):
			c.version = strings.TrimPrefix(arg, "-lang=")
		case strings.HasPrefix(arg, "-D="+compilerMark):
			c.marked = true
		}
	}
	c.marked = c.marked && c.path != "" && c.importcfg != "" && c.firstFile < len(args)
	return c
}

// run compiles the package with hooks. It reports false, and has compiled nothing, if that does not
// work: then the package is compiled as it is.
func (c compilation) run() bool {
	dir, err := os.MkdirTemp("", "gopredict-module-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	args, err := c.instrument(dir)
	return err == nil && len(args) > 0 && exec.Command(args[0], args[1:]...).Run() == nil
}

// instrument makes copies with hooks of the source files below dir, and returns the arguments that
// make the compiler read these.
func (c compilation) instrument(dir string) ([]string, error) {
	p, err := c.load()
	if err != nil {
		return nil, err
	}
	res, err := rewrite.Rewrite([]*packages.Package{p}, dir, rewrite.Options{StandardLibrary: true, OtherModule: true, ImportedElsewhere: func(string) bool { return true }})
	if err != nil || len(res.Overlay) == 0 {
		return nil, err
	}
	args := slices.Clone(c.args)
	copies, alias := "", ""
	for i := c.firstFile; i < len(args); i++ {
		copied, ok := res.Overlay[p.GoFiles[i-c.firstFile]]
		if !ok {
			continue
		}
		text, err := os.ReadFile(copied)
		if err != nil {
			return nil, err
		}
		m := importedHooks.FindSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%s: expected an import of the hooks, found none", copied)
		}
		alias = string(m[1])
		local := strings.ReplaceAll(strings.Replace(string(text), string(m[0]), "", 1), alias+".", alias+localHooks)
		if err := os.WriteFile(copied, []byte(local), 0o666); err != nil {
			return nil, err
		}
		args[i], copies = copied, filepath.Dir(copied)
	}
	hooks := filepath.Join(copies, "gopredict_hooks.go")
	if err := os.WriteFile(hooks, []byte(localHooksText(p.Name, alias)), 0o666); err != nil {
		return nil, err
	}
	args = append(args, hooks)
	// The binary has the files' own names.
	named := copies + "=>" + c.nameOf(filepath.Dir(p.GoFiles[0]))
	if c.trimpath > 0 {
		args[c.trimpath] = named + ";" + args[c.trimpath]
		return args, nil
	}
	return slices.Insert(args, 1, "-trimpath", named), nil
}

// nameOf returns the name that a folder has in the binary.
func (c compilation) nameOf(dir string) string {
	if c.trimpath > 0 {
		for _, rule := range strings.Split(c.args[c.trimpath], ";") {
			if from, to, ok := strings.Cut(rule, "=>"); ok && isUnder(dir, from) {
				return filepath.Join(to, strings.TrimPrefix(dir, from))
			}
		}
	}
	return dir
}

// importedHooks is how rewritten text imports the hooks, by a name that is nothing else there.
var importedHooks = regexp.MustCompile(`;import (\w+) "predictrt/inside"`)

// localHooks is in the names of hooks in the package itself, instead of a dot. The go command does
// not know that the package would import the hooks. linkedHooks is in those of the run-time
// library's functions, which the linker finds.
const localHooks, linkedHooks = "_hook_", "_linked_"

// localHooksText is the file with the hooks of a package, which call those of the run-time library by
// their names in the linker.
func localHooksText(pkg, alias string) string {
	text := string(predictrt.InsideHooks())
	_, text, _ = strings.Cut(text, ")\n") // the imports
	for _, name := range hookNames.FindAllStringSubmatch(text, -1) {
		text = regexp.MustCompile(`\b`+name[1]+`\b`).ReplaceAllString(text, alias+localHooks+name[1])
	}
	linked := alias + linkedHooks
	text = strings.ReplaceAll(text, "predictrt.", linked)
	kinds := fmt.Sprintf("const P_KindRead, P_KindWrite, P_OfMap = %d, %d, %d\n\n", trace.Read, trace.Write, trace.FlagMap)
	return "//go:build go1.21\n\npackage " + pkg + "\n\nimport \"unsafe\"\n\n" + strings.ReplaceAll(kinds+`//go:linkname P_Mode predictrt.Mode
var P_Mode uint32

//go:linkname P_LogInside predictrt.LogInside
func P_LogInside(kind, flags uint8, p unsafe.Pointer, size uintptr)

//go:linkname P_LogInsideSpan predictrt.LogInsideSpan
func P_LogInsideSpan(kind uint8, p unsafe.Pointer, n int, size uintptr)

//go:linkname P_LogInsideAppend predictrt.LogInsideAppend
func P_LogInsideAppend(s unsafe.Pointer, n int, size uintptr)

//go:linkname P_CallSite predictrt.CallSite
func P_CallSite() uint32
`, "P_", linked) + text + atomicHooksText(alias)
}

// atomicHooksText has hooks for the functions of sync/atomic, by name. The rewriter's sites are not
// known where the package is used, so that the call is searched for in the stack.
func atomicHooksText(alias string) string {
	var b strings.Builder
	for _, word := range []string{"Int32", "Uint32", "Int64", "Uint64", "Uintptr", "Pointer"} {
		of := strings.ToLower(word)
		for _, f := range []struct{ name, params, args, result string }{
			{"Load", "p *T", "p", "T"}, {"Store", "p *T, v T", "p, v", ""}, {"Swap", "p *T, v T", "p, v", "T"},
			{"CompareAndSwap", "p *T, v, w T", "p, v, w", "bool"},
			{"Add", "p *T, v T", "p, v", "T"}, {"And", "p *T, v T", "p, v", "T"}, {"Or", "p *T, v T", "p, v", "T"},
		} {
			if word == "Pointer" && (f.name == "Add" || f.name == "And" || f.name == "Or") {
				continue
			}
			give := ""
			if f.result != "" {
				give = "return "
			}
			text := fmt.Sprintf(`
//go:linkname P_%[1]s predictrt.%[1]s
func P_%[1]s(%[2]s, site uint32) %[4]s

func H_%[1]s(%[2]s, _ uint32) %[4]s { %[5]sP_%[1]s(%[3]s, P_CallSite()) }
`, f.name+word, f.params, f.args, f.result, give)
			if word == "Pointer" {
				of = "unsafe.Pointer"
			}
			text = regexp.MustCompile(`\bT\b`).ReplaceAllString(text, of)
			b.WriteString(strings.NewReplacer("P_", alias+linkedHooks, "H_", alias+localHooks).Replace(text))
		}
	}
	return b.String()
}

var hookNames = regexp.MustCompile(`(?m)^(?:func|type) (\w+)\[`)

// load reads the package and its types.
func (c compilation) load() (*packages.Package, error) {
	p := &packages.Package{ID: c.path, PkgPath: c.path, Fset: token.NewFileSet(), TypesSizes: types.SizesFor("gc", cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH))}
	size := 0
	for _, file := range c.args[c.firstFile:] {
		file, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxForeignBytes {
			return nil, errors.New("the package is too large")
		}
		if len(p.GoFiles) > 0 && filepath.Dir(file) != filepath.Dir(p.GoFiles[0]) {
			return nil, errors.New("files are generated") // cgo
		}
		f, err := parser.ParseFile(p.Fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Name = f.Name.Name
		p.GoFiles, p.Syntax = append(p.GoFiles, file), append(p.Syntax, f)
	}
	p.CompiledGoFiles = p.GoFiles
	p.Module = &packages.Module{Path: c.path, Dir: filepath.Dir(p.GoFiles[0]), GoVersion: strings.TrimPrefix(c.version, "go")}
	exports, err := readImportcfg(c.importcfg)
	if err != nil {
		return nil, err
	}
	p.TypesInfo = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes: make(map[ast.Node]*types.Scope), FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{Importer: exports.importer(p.Fset), Sizes: p.TypesSizes, GoVersion: c.version}
	if p.Types, err = conf.Check(c.path, p.Fset, p.Syntax, p.TypesInfo); err != nil {
		return nil, err
	}
	p.Imports = make(map[string]*packages.Package)
	for _, imp := range p.Types.Imports() {
		p.Imports[imp.Path()] = &packages.Package{ID: imp.Path(), PkgPath: imp.Path(), Name: imp.Name(), Types: imp}
	}
	return p, nil
}

// An importcfg says what the imports of a package stand for, and which files have their export data.
type importcfg struct{ paths, files map[string]string }

func readImportcfg(file string) (importcfg, error) {
	c := importcfg{make(map[string]string), make(map[string]string)}
	text, err := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		from, to, _ := strings.Cut(rest, "=")
		switch verb {
		case "importmap":
			c.paths[from] = to
		case "packagefile":
			c.files[from] = to
		}
	}
	return c, err
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func (c importcfg) importer(fset *token.FileSet) types.Importer {
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.files[path]) })
	return importerFunc(func(path string) (*types.Package, error) { return compiled.Import(cmp.Or(c.paths[path], path)) })
}
