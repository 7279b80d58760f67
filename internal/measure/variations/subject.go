package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A subject is a copy of testdata/kinds/variations, a workspace of two modules.
type subject struct {
	dir  string // the copy
	tool string // gopredict's binary
	pkgs []*pkg
}

// patterns are the packages of both modules.
var patterns = []string{"./...", "./rangevar/..."}

// A pkg is one package: variations of one kind.
type pkg struct {
	name  string // of its folder, too
	doc   string // what its tests have in common
	tests []*variation
}

// right is the package without bugs.
const right = "right"

// A variation is one test.
type variation struct {
	name, form string
	warms      bool      // makes state for the tests behind it, and has no bug itself
	seen, runs int       // with -race: in how many of how many runs
	findings   []finding // of gopredict
}

// copy copies the subject's folder and lists its tests.
func (s *subject) copy(from string) error {
	if err := os.CopyFS(s.dir, os.DirFS(from)); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.list(file); err != nil {
			return err
		}
	}
	if len(s.pkgs) == 0 {
		return fmt.Errorf("expected folders with tests in %s, found none", from)
	}
	return nil
}

// list lists the tests of a file.
func (s *subject) list(file string) error {
	// What runs have left in the folder is not part of the subject.
	if err := os.RemoveAll(filepath.Join(filepath.Dir(file), "testdata")); err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	name := filepath.Base(filepath.Dir(file))
	i := slices.IndexFunc(s.pkgs, func(p *pkg) bool { return p.name == name })
	if i < 0 {
		i = len(s.pkgs)
		s.pkgs = append(s.pkgs, &pkg{name: name})
	}
	p := s.pkgs[i]
	p.doc += words(f.Doc)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(d.Name.Name, "Test") {
			p.tests = append(p.tests, &variation{
				name:  d.Name.Name,
				form:  words(d.Doc),
				warms: d.Name.Name == "TestWarm",
			})
		}
	}
	return nil
}

// words returns a comment as one line.
func words(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}
