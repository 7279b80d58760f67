//go:build long

package others

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A program is one of GOROOT/test's, or one that such a program writes.
type program struct {
	name string // of the file below GOROOT/test; of what it writes, "NAME:output"
	kind string // the first word of its first comment
	// flags are those of go build, args what the program itself is run with.
	flags, args []string
	experiment  string   // GOEXPERIMENT
	version     string   // the go line of its own module, "" if it has none
	sources     []string // absolute; for rundir and runindir, the folder
	want        string   // what it prints to both of its outputs

	module string // folder of the module that it is copied to
	pkg    string // import path there

	Plain   string // why it is not counted: what went wrong without instrumentation
	Failed  string // what is different with it
	skipped string // a file that was left alone, and why
	cut     bool   // the trace was stopped at its limit
}

// The kinds of programs in Go's own tests: one file, a folder with several
// packages, a module, and a program that writes one.
const (
	kindRun    = "run"
	kindDir    = "rundir"
	kindModule = "runindir"
	kindOutput = "runoutput"
)

// listPrograms finds the programs below root, a GOROOT/test, that are selected by name.
func listPrograms(root string, selected func(name string) bool) (all []*program) {
	run.Check(filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && filepath.Ext(file) == ".dir":
			return fs.SkipDir // belongs to the program of that name
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		name := filepath.ToSlash(run.Must(filepath.Rel(root, file)))
		if p := readProgram(file); p != nil && selected(name) {
			p.name = name
			all = append(all, p)
		}
		return nil
	}))
	return all
}

// readProgram reads what the first comment of a file says about it; nil if it is no program to
// run.
func readProgram(file string) *program {
	for line := range strings.Lines(run.ReadFile(file)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			continue
		}
		text, comment := strings.CutPrefix(line, "//")
		words := splitQuoted(text)
		if !comment || len(words) == 0 || !slices.Contains([]string{kindRun, kindDir, kindModule, kindOutput}, words[0]) {
			return nil
		}
		p := &program{kind: words[0], sources: []string{file}, want: wanted(file)}
		p.readRecipe(words[1:])
		if p.kind == kindDir || p.kind == kindModule {
			p.sources[0] = strings.TrimSuffix(file, ".go") + ".dir"
		}
		return p
	}
	return nil
}

// quotedWord is a word of which any part may be quoted.
var quotedWord = regexp.MustCompile(`(?:[^ \t'"]|'[^']*'|"[^"]*")+`)

// splitQuoted splits a line at white space that is not quoted, and drops the quotes.
func splitQuoted(line string) (words []string) {
	for _, word := range quotedWord.FindAllString(line, -1) {
		var plain strings.Builder
		quote := rune(0)
		for _, c := range word {
			switch {
			case quote == 0 && (c == '\'' || c == '"'):
				quote = c
			case c == quote:
				quote = 0
			default:
				plain.WriteRune(c)
			}
		}
		words = append(words, plain.String())
	}
	return words
}

// wanted is what the program of a file prints: what its .out file has, if there is one.
func wanted(file string) string {
	text, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if !os.IsNotExist(err) {
		run.Check(err)
	}
	return string(text)
}

// readRecipe reads what follows the kind: flags of the go command, more source files, arguments.
// Those of rundir are flags of the compiler, up to -ldflags.
func (p *program) readRecipe(words []string) {
	next := func() string {
		word := words[0]
		words = words[1:]
		return word
	}
	var compiler []string
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		switch flag := next(); {
		case flag == "-goexperiment":
			p.experiment = next()
		case flag == "-gomodversion":
			p.version = next()
		case flag == "-ldflags" && p.kind == kindDir:
			p.flags = append(p.flags, "-ldflags="+strings.Join(words, " "))
			words = nil
		case flag == "-gcflags" || flag == "-ldflags":
			p.flags = append(p.flags, flag+"="+next())
		case p.kind == kindDir:
			compiler = append(compiler, flag)
		default:
			p.flags = append(p.flags, flag)
		}
	}
	if len(compiler) > 0 {
		p.flags = append(p.flags, "-gcflags="+strings.Join(compiler, " "))
	}
	for len(words) > 0 && strings.HasSuffix(words[0], ".go") {
		p.sources = append(p.sources, filepath.Join(filepath.Dir(p.sources[0]), next()))
	}
	p.args = words
}

// binary is where p is built to below dir.
func (p *program) binary(dir string) string { return filepath.Join(dir, path.Base(p.pkg)) }

// sharedModule is the module of the programs that bring none of their own.
const sharedModule = "programs"

// copy copies p to where a user would have it: a folder of a module of the given language
// version, or a module of its own.
func (p *program) copy(dir, version string) {
	flat := strings.NewReplacer("/", "_", ".go", "", ":", "_").Replace(p.name)
	if p.kind == kindModule {
		name := filepath.Base(p.sources[0])
		p.module, p.pkg = filepath.Join(dir, flat, name), name
		if p.version == "" {
			p.version = "1.14" // as cmd/internal/testdir has it
		}
		run.Check(os.CopyFS(p.module, os.DirFS(p.sources[0])))
		run.WriteMod(p.module, name, p.version)
		return
	}
	p.module, p.pkg = filepath.Join(dir, sharedModule), sharedModule+"/"+flat
	run.WriteMod(p.module, sharedModule, version)
	if p.kind == kindDir {
		p.copyPackages()
		return
	}
	for _, source := range p.sources {
		p.copyFile(source, "")
	}
}

// copyPackages copies the folder of a rundir: files of one package form one, which goes by the
// name of its first file, and the last one is the main one.
func (p *program) copyPackages() {
	files := run.Must(filepath.Glob(filepath.Join(p.sources[0], "*.go")))
	folders := make(map[string]string) // by the package's name
	of := make(map[string]string)      // the package's name, by file
	last := ""
	for _, file := range files {
		name := run.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)).Name.Name
		if folders[name] == "" {
			last, folders[name] = name, strings.TrimSuffix(filepath.Base(file), ".go")
		}
		of[file] = name
	}
	folders[last] = ""
	for _, file := range files {
		p.copyFile(file, folders[of[file]])
	}
}

// emptyAssembly is the name of an empty file in assembly language, which a package with a
// function without a body needs.
const emptyAssembly = "nothing.s"

// copyFile copies a file to a folder of p's package, under a name that does not make it part of a
// test. Relative imports, which modules do not have, become absolute.
func (p *program) copyFile(from, folder string) {
	text := run.ReadFile(from)
	dir := filepath.Join(p.module, strings.TrimPrefix(p.pkg, sharedModule+"/"), folder)
	to := filepath.Join(dir, strings.Replace(filepath.Base(from), "_test.go", "_test_.go", 1))
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, from, text, parser.SkipObjectResolution)
	if err != nil { // the compiler will say so
		run.WriteFile(to, text)
		return
	}
	for _, imp := range slices.Backward(f.Imports) {
		path := run.Must(strconv.Unquote(imp.Path.Value))
		for _, prefix := range []string{"./", "test/"} {
			if rest, ok := strings.CutPrefix(path, prefix); ok {
				lo, hi := fset.PositionFor(imp.Path.Pos(), false).Offset, fset.PositionFor(imp.Path.End(), false).Offset
				text = text[:lo] + strconv.Quote(p.pkg+"/"+rest) + text[hi:]
			}
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
			run.WriteFile(filepath.Join(dir, emptyAssembly), "")
		}
	}
	run.WriteFile(to, text)
}

func TestSplitQuoted(t *testing.T) {
	assert.Equal(t, []string{"run", "-gcflags=all=-N -l", "a b", ""}, splitQuoted(` run	-gcflags='all=-N -l' "a b"  '' `))
	assert.Empty(t, splitQuoted(" "))
}
