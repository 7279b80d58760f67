package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// shared is the module of the programs that bring none of their own.
const shared = "programs"

// copy copies p to where a user would have it: a folder of a module of the
// given language version, or a module of its own.
func (p *program) copy(dir, version string) error {
	flat := strings.NewReplacer("/", "_", ".go", "", ":", "_").Replace(p.name)
	if p.kind == kindModule {
		name := filepath.Base(p.sources[0])
		p.module, p.pkg = filepath.Join(dir, flat, name), name
		if p.version == "" {
			p.version = "1.14" // as cmd/internal/testdir has it
		}
		if err := os.CopyFS(p.module, os.DirFS(p.sources[0])); err != nil {
			return err
		}
		return writeModule(p.module, name, p.version)
	}
	p.module, p.pkg = filepath.Join(dir, shared), shared+"/"+flat
	if err := writeModule(p.module, shared, version); err != nil {
		return err
	}
	if p.kind == kindDir {
		return p.copyPackages()
	}
	for _, source := range p.sources {
		if err := p.copyFile(source, ""); err != nil {
			return err
		}
	}
	return nil
}

func writeModule(dir, name, version string) error {
	return write(filepath.Join(dir, "go.mod"), "module "+name+"\n\ngo "+version+"\n")
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// copyPackages copies the folder of a rundir: files of one package form one,
// which goes by the name of its first file, and the last one is the main one.
func (p *program) copyPackages() error {
	files, err := filepath.Glob(filepath.Join(p.sources[0], "*.go"))
	if err != nil {
		return err
	}
	var packages []string
	folders := map[string]string{}
	of := map[string]string{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		name := f.Name.Name
		if !slices.Contains(packages, name) {
			packages = append(packages, name)
			folders[name] = strings.TrimSuffix(filepath.Base(file), ".go")
		}
		of[file] = name
	}
	if len(packages) == 0 {
		return fmt.Errorf("no Go files in %s", p.sources[0])
	}
	folders[packages[len(packages)-1]] = ""
	for _, file := range files {
		if err := p.copyFile(file, folders[of[file]]); err != nil {
			return err
		}
	}
	return nil
}

// nothing is the name of an empty file in assembly language.
const nothing = "nothing.s"

// copyFile copies a file to a folder of p's package, under a name that does not
// make it part of a test. Relative imports, which modules do not have, become
// absolute. Functions without a body need a file in assembly language beside
// them.
func (p *program) copyFile(from, folder string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	dir := filepath.Join(p.module, strings.TrimPrefix(p.pkg, shared+"/"), folder)
	to := filepath.Join(dir, strings.Replace(filepath.Base(from), "_test.go", "_test_.go", 1))
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, from, text, parser.SkipObjectResolution)
	if err != nil { // the compiler will say so
		return write(to, string(text))
	}
	for _, imp := range slices.Backward(f.Imports) {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return err
		}
		for _, prefix := range []string{"./", "test/"} {
			if rest, ok := strings.CutPrefix(path, prefix); ok {
				lo, hi := fset.PositionFor(imp.Path.Pos(), false).Offset, fset.PositionFor(imp.Path.End(), false).Offset
				text = slices.Concat(text[:lo], []byte(strconv.Quote(p.pkg+"/"+rest)), text[hi:])
			}
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
			if err := write(filepath.Join(dir, nothing), ""); err != nil {
				return err
			}
		}
	}
	return write(to, string(text))
}
