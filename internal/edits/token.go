package edits

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a Go file and its declarations.
type File struct {
	name  string // its path
	text  string
	decls map[string][][2]int // the ranges of bytes of declarations, by their names
}

// ReadFiles reads the files of a package, without its tests.
func ReadFiles(dir string) (files []*File, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := NewFile(name, string(text))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// NewFile finds the declarations of a file. A method is named "T.M" or "(*T).M".
func NewFile(name, text string) (*File, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &File{name, text, make(map[string][][2]int)}
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
	return s, nil
}

// receiver returns the begin of a method's name: "T." or "(*T).".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t, pointer := d.Recv.List[0].Type, false
	if star, ok := t.(*ast.StarExpr); ok {
		t, pointer = star.X, true
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
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

// lexemes returns the tokens of text, without comments. A newline that ends a statement is a
// semicolon, except at the end and before a closing bracket, where Go does not need one.
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

// A TokenEdit replaces Go tokens of a declaration by others.
type TokenEdit struct{ Is, Becomes string }

// tokenOperators are the words that edits begin with, and what becomes of the snippet after them.
var tokenOperators = map[string]func(is string) string{
	"negate": func(is string) string { return "!(" + is + ")" },
	"always": func(is string) string { return "true || (" + is + ")" },
	"never":  func(is string) string { return "false && (" + is + ")" },
	"delete": func(string) string { return "" },
}

// ParseTokenEdit reads "A => B", or an operator (negate, always, never, delete) and a snippet.
func ParseTokenEdit(text string) (e TokenEdit, ok bool) {
	if is, becomes, ok := strings.Cut(text, " => "); ok {
		return TokenEdit{is, becomes}, true
	}
	word, is, _ := strings.Cut(text, " ")
	operator := tokenOperators[word]
	if operator == nil || is == "" {
		return e, false
	}
	return TokenEdit{is, operator(is)}, true
}

// Apply returns the path of the file that has the declaration, and its text with the edit made.
// The snippet has to be in the declaration once; spaces, newlines and comments do not matter.
func (e TokenEdit) Apply(files []*File, decl string) (file, text string, err error) {
	found, declared := 0, false
	for _, f := range files {
		for _, d := range f.decls[decl] {
			declared = true
			for _, place := range find(f.text[d[0]:d[1]], e.Is) {
				found++
				file = f.name
				text = f.text[:d[0]+place[0]] + e.Becomes + f.text[d[0]+place[1]:]
			}
		}
	}
	switch {
	case !declared:
		return "", "", fmt.Errorf("expected a declaration of %s, found none", decl)
	case found != 1:
		return "", "", fmt.Errorf("expected once in %s, found %d times: %s", decl, found, e.Is)
	}
	return file, text, nil
}
