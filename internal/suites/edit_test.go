package suites

import (
	"bytes"
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
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// A source is one Go file of a subject; info is what its names stand for, if it was
// loaded with types.
type source struct {
	name string
	text []byte
	fset *token.FileSet
	file *ast.File
	info *types.Info
}

// withTypes loads what names stand for.
const withTypes = packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports

// load parses the packages of a module, tests too, and returns each file once. more
// is what is to be known of them besides: withTypes, or nothing.
func load(t *testing.T, dir string, more packages.LoadMode) []source {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | more,
	}, "./...")
	require.NoError(t, err)
	files := map[string]source{}
	for _, p := range pkgs {
		require.Empty(t, p.Errors)
		for i, f := range p.Syntax {
			name := p.CompiledGoFiles[i]
			if rel, err := filepath.Rel(dir, name); err != nil || !filepath.IsLocal(rel) {
				continue // the generated main
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			files[name] = source{name, text, p.Fset, f, p.TypesInfo}
		}
	}
	var out []source
	for _, f := range files {
		out = append(out, f)
	}
	return out
}

func (s source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// insert puts texts at offsets into the file and writes it, formatted.
func (s source) insert(t *testing.T, texts map[int]string) {
	t.Helper()
	var b bytes.Buffer
	for at := range len(s.text) + 1 {
		b.WriteString(texts[at])
		if at < len(s.text) {
			b.WriteByte(s.text[at])
		}
	}
	write(t, s.name, b.Bytes())
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	formatted, err := format.Source(text)
	require.NoError(t, err, "%s", text)
	require.NoError(t, os.WriteFile(name, formatted, 0o666))
}

// comment puts a line of comment above each declaration and each statement that
// begins a line.
func comment(t *testing.T, dir string) {
	for _, s := range load(t, dir, 0) {
		texts := map[int]string{}
		line := func(n ast.Node) {
			at := s.offset(n.Pos())
			begin := bytes.LastIndexByte(s.text[:at], '\n') + 1
			if len(bytes.TrimSpace(s.text[begin:at])) == 0 {
				texts[begin] = "// A remark.\n"
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Doc == nil {
					line(n)
				}
			case *ast.BlockStmt:
				for _, stmt := range n.List {
					line(stmt)
				}
			}
			return true
		})
		s.insert(t, texts)
	}
}

// rename gives each local variable, parameter and receiver another name.
func rename(t *testing.T, dir string) {
	for _, s := range load(t, dir, withTypes) {
		texts := map[int]string{}
		for _, names := range []map[*ast.Ident]types.Object{s.info.Defs, s.info.Uses} {
			for id, obj := range names {
				v, ok := obj.(*types.Var)
				if !ok || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() || v.Name() == "_" {
					continue
				}
				if s.fset.Position(id.Pos()).Filename == s.name {
					texts[s.offset(id.End())] = "2"
				}
			}
		}
		s.insert(t, texts)
	}
}

// move takes all functions to other files, the last one first.
func move(t *testing.T, dir string) {
	for _, s := range load(t, dir, 0) {
		var stay, gone []string
		for _, d := range s.file.Decls {
			from := d.Pos()
			fn, isFunc := d.(*ast.FuncDecl)
			if isFunc && fn.Doc != nil {
				from = fn.Doc.Pos()
			}
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			text := string(s.text[s.offset(from):s.offset(d.End())])
			if isFunc {
				gone = append(gone, text)
			} else {
				stay = append(stay, text)
			}
		}
		slices.Reverse(gone)
		write(t, s.name, s.withImports(stay))
		if len(gone) > 0 {
			write(t, filepath.Join(filepath.Dir(s.name), "moved_"+filepath.Base(s.name)), s.withImports(gone))
		}
	}
}

// withImports makes a file of declarations, with those of the source's imports
// that they use.
func (s source) withImports(decls []string) []byte {
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

// testEdits changes the sources of a subject around its bugs: there are more comments,
// variables have other names, and functions are in other files. All witnesses still
// confirm, and each bug is reported once.
func testEdits(t *testing.T, dir string, subject want, bugs int) {
	comment(t, dir)
	rename(t, dir)
	move(t, dir)
	file := filepath.Join(t.TempDir(), "report.json")
	again := run(t, dir, nil, command, subject.test("-predict.json="+file)...)
	r := readReport(t, file)
	require.NotEmpty(t, r.Witnesses, again)
	for _, w := range r.Witnesses {
		require.Equal(t, "confirmed", w.Status, "%s: %s\n%s", w.Witness, w.Reason, again)
	}
	require.Len(t, r.confirmed(), bugs, again)
}
