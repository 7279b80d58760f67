package sources

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A source is a Go file and its declarations.
type source struct {
	name  string // its path
	text  string
	decls map[string][][2]int // the ranges of bytes of declarations, by their names
}

// parseSource reads the declarations of a file. A method is named "T.M" or "(*T).M".
func parseSource(name, text string) *source {
	fset := token.NewFileSet()
	f := run.Must(parser.ParseFile(fset, name, text, parser.SkipObjectResolution))
	s := &source{name, text, make(map[string][][2]int)}
	add := func(name string, n ast.Node) {
		s.decls[name] = append(s.decls[name], [2]int{fset.PositionFor(n.Pos(), false).Offset, fset.PositionFor(n.End(), false).Offset})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(receiver(d)+d.Name.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, spec)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						add(n.Name, spec)
					}
				}
			}
		}
	}
	return s
}

// receiver is what a method's name begins with: "T." or "(*T).".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t, pointer := d.Recv.List[0].Type, false
	if star, ok := t.(*ast.StarExpr); ok {
		t, pointer = star.X, true
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	name, ok := t.(*ast.Ident)
	switch {
	case !ok:
		return ""
	case pointer:
		return "(*" + name.Name + ")."
	}
	return name.Name + "."
}

// A lexeme is one token of Go, and where it is.
type lexeme struct {
	tok      token.Token
	lit      string
	from, to int
}

// lexemes are the tokens of text, without comments. A newline that ends a statement is a
// semicolon, but for one that Go lets be left out: the last one, and one before a bracket.
func lexemes(text string) (all []lexeme) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if n := len(all); (tok == token.RBRACE || tok == token.RPAREN) && n > 0 && all[n-1].tok == token.SEMICOLON {
			all = all[:n-1]
		}
		l := lexeme{tok, lit, file.Offset(pos), 0}
		l.to = l.from + len(tok.String())
		switch {
		case tok == token.SEMICOLON:
			l.lit, l.to = "", l.from // one that a newline stands for has no length
		case lit != "":
			l.to = l.from + len(lit)
		}
		all = append(all, l)
	}
	if n := len(all); n > 0 && all[n-1].tok == token.SEMICOLON {
		all = all[:n-1]
	}
	return all
}

// find returns the ranges of bytes in text that have the tokens of snippet.
func find(text, snippet string) (places [][2]int) {
	in, of := lexemes(text), lexemes(snippet)
	same := func(l, o lexeme) bool { return l.tok == o.tok && l.lit == o.lit }
	for k := 0; len(of) > 0 && k+len(of) <= len(in); k++ {
		if slices.EqualFunc(in[k:k+len(of)], of, same) {
			places = append(places, [2]int{in[k].from, in[k+len(of)-1].to})
		}
	}
	return places
}

// A tokenEdit changes a snippet of a declaration.
type tokenEdit struct{ is, becomes string }

// operators are the words that edits begin with, and what becomes of the snippet after them.
var operators = map[string]func(is string) string{
	"negate": func(is string) string { return "!(" + is + ")" },
	"always": func(is string) string { return "true || (" + is + ")" },
	"never":  func(is string) string { return "false && (" + is + ")" },
	"delete": func(string) string { return "" },
}

// parseEdit reads "A => B", or an operator and a snippet.
func parseEdit(text string) (tokenEdit, bool) {
	if is, becomes, ok := strings.Cut(text, " => "); ok {
		return tokenEdit{is, becomes}, true
	}
	word, is, _ := strings.Cut(text, " ")
	operator := operators[word]
	if operator == nil || is == "" {
		return tokenEdit{}, false
	}
	return tokenEdit{is, operator(is)}, true
}

// parseRoom reads the files of a package, without its tests.
func parseRoom(dir string) (sources []*source) {
	for _, name := range run.Must(filepath.Glob(filepath.Join(dir, "*.go"))) {
		if !strings.HasSuffix(name, "_test.go") {
			sources = append(sources, parseSource(name, run.ReadFile(name)))
		}
	}
	return sources
}

// apply returns the file that has the declaration, and its text with the edit made. The snippet
// has to be in the declaration once.
func (e tokenEdit) apply(sources []*source, decl string) (file string, text []byte) {
	found, declared := 0, false
	for _, s := range sources {
		for _, d := range s.decls[decl] {
			declared = true
			for _, place := range find(s.text[d[0]:d[1]], e.is) {
				found++
				file = s.name
				text = []byte(s.text[:d[0]+place[0]] + e.becomes + s.text[d[0]+place[1]:])
			}
		}
	}
	switch {
	case !declared:
		run.Fail("expected a declaration of %s, found none", decl)
	case found != 1:
		run.Fail("expected once in %s, found %d times: %s", decl, found, e.is)
	}
	return file, text
}
