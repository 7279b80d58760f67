package edits

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A source is one Go file of a module, and the changes to make to it.
type source struct {
	dir  string // of the module
	name string
	text []byte
	fset *token.FileSet
	file *ast.File
	info *types.Info

	changes []change
	whole   []byte // its new text; nil if changes has the changes
	moved   []byte // the text of a new file beside it; nil if there is none
}

// A change replaces a range of bytes by a text.
type change struct {
	from, to int
	text     string
}

// load parses the packages of a module, tests too, and returns each file once.
func load(dir string) ([]*source, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "./...")
	if err != nil {
		return nil, err
	}
	files := make(map[string]*source)
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for i, f := range p.Syntax {
			name := p.CompiledGoFiles[i]
			if rel, err := filepath.Rel(dir, name); err != nil || !filepath.IsLocal(rel) {
				continue // the generated main
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files[name] = &source{dir: dir, name: name, text: text, fset: p.Fset, file: f, info: p.TypesInfo}
		}
	}
	var out []*source
	for _, f := range files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *source) int { return cmp.Compare(a.name, b.name) })
	return out, nil
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// textOf returns the text of a node.
func (s *source) textOf(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// own reports whether an object is declared in the module.
func (s *source) own(obj types.Object) bool {
	rel, err := filepath.Rel(s.dir, s.fset.Position(obj.Pos()).Filename)
	return obj.Pkg() != nil && err == nil && filepath.IsLocal(rel)
}

// beginsLine reports whether only spaces come before p in its line, and returns the begin of the
// line.
func (s *source) beginsLine(p token.Pos) (begin int, ok bool) {
	at := s.offset(p)
	begin = bytes.LastIndexByte(s.text[:at], '\n') + 1
	return begin, len(bytes.TrimSpace(s.text[begin:at])) == 0
}

func (s *source) insert(at int, text string) { s.replace(at, at, text) }

func (s *source) replace(from, to int, text string) {
	s.changes = append(s.changes, change{from, to, text})
}

// write writes the file, and the one beside it.
func (s *source) write() error {
	text := s.whole
	if text == nil {
		slices.SortStableFunc(s.changes, func(a, b change) int { return cmp.Compare(a.from, b.from) })
		at := 0
		for i, c := range s.changes {
			if i > 0 && c == s.changes[i-1] {
				continue // a name that is both a use and a definition
			}
			if c.from < at {
				return errors.New("changes overlap")
			}
			text = append(append(text, s.text[at:c.from]...), c.text...)
			at = c.to
		}
		text = append(text, s.text[at:]...)
	}
	if err := write(s.name, text); err != nil || s.moved == nil {
		return err
	}
	return write(filepath.Join(filepath.Dir(s.name), "moved_"+filepath.Base(s.name)), s.moved)
}

func write(name string, text []byte) error {
	formatted, err := format.Source(text)
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, text)
	}
	return os.WriteFile(name, formatted, 0o666)
}

// declarations returns the texts of the functions, and of all else but imports.
func (s *source) declarations() (others, functions []string) {
	for _, d := range s.file.Decls {
		from := d.Pos()
		fn, isFunc := d.(*ast.FuncDecl)
		g, isGen := d.(*ast.GenDecl)
		switch {
		case isGen && g.Tok == token.IMPORT:
			continue
		case isFunc && fn.Doc != nil:
			from = fn.Doc.Pos()
		case isGen && g.Doc != nil:
			from = g.Doc.Pos()
		}
		text := string(s.text[s.offset(from):s.offset(d.End())])
		if isFunc {
			functions = append(functions, text)
		} else {
			others = append(others, text)
		}
	}
	return others, functions
}

// withImports makes a file of declarations, with those of the source's imports
// that they use.
func (s *source) withImports(decls []string) []byte {
	body := strings.Join(decls, "\n\n")
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", s.file.Name.Name)
	for _, spec := range s.file.Imports {
		full, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "_" || strings.Contains(body, name+".") {
			fmt.Fprintf(&b, "import %s %s\n", name, spec.Path.Value)
		}
	}
	b.WriteString("\n" + body)
	return b.Bytes()
}
