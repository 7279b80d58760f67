// Package subjects finds and copies the small modules below testdata that tests and
// measurements run the command on.
package subjects

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// FindFolder returns the folder of a subject by its name, whichever group it is in. root is
// the repository.
func FindFolder(root, name string) (string, error) {
	found, err := filepath.Glob(filepath.Join(root, "testdata", "*", name, "go.mod"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("expected one folder %s in a group of testdata; found %d", name, len(found))
	}
	if err != nil {
		return "", err
	}
	return filepath.Dir(found[0]), nil
}

// Copy copies a subject to the new folder dir, without witnesses of earlier runs. Its
// go.mod still finds gopredict at root.
func Copy(root, name, dir string) error {
	folder, err := FindFolder(root, name)
	if err != nil {
		return err
	}
	if err := CopyModule(root, folder, dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, "testdata", "predict"))
}

// CopyModule copies the module in folder, witnesses included, to the new folder dir.
func CopyModule(root, folder, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		return err
	}
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		return err
	}
	return os.WriteFile(mod, bytes.Replace(text, []byte("=> ../../.."), []byte("=> "+root), 1), 0o666)
}

// A Test is one of the many small tests of a subject that are forms of one thing.
type Test struct {
	Name string
	Doc  string // its comment, as one line
	Want string // what is expected to be confirmed of it, as its //want: comment says; "" if nothing is
}

// Tests returns the tests in the files of a folder, in their order.
func Tests(dir string) (all []Test, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			t := Test{Name: fn.Name.Name, Doc: strings.Join(strings.Fields(fn.Doc.Text()), " ")}
			if fn.Doc != nil {
				for _, c := range fn.Doc.List {
					if want, ok := strings.CutPrefix(c.Text, "//want:"); ok {
						t.Want = want
					}
				}
			}
			all = append(all, t)
		}
	}
	return all, nil
}
