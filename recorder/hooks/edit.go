package hooks

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
)

// This file changes source text. Edits insert text at positions of the original, so that nothing
// else of a file changes: no printer formats it. All text goes into existing lines, because stacks
// and positions of events refer to lines of the user's own GOROOT. With after("c.qcount++",
// "predictPut(c, gp)"), the line
//
//	c.qcount++
//
// becomes
//
//	c.qcount++; predictPut(c, gp)
//
// wherever it is a statement of the function.

// A where says which place of a declaration an edit changes.
type where int

const (
	atEntry     where = iota // of the function's body
	beforeStmt               // each statement that reads like the anchor
	afterStmt                // likewise
	insteadOf                // each expression that reads like the anchor
	theName                  // of the function
	afterFields              // of the struct type
	inRelease                // nowhere: the hook is for one release only
	inFile                   // nowhere: only some platforms have the file
)

// An edit is one change to one declaration.
type edit struct {
	at     where
	anchor string // exact source text of a statement or expression
	text   string // what is put in, or the new name
}

func entry(text string) edit           { return edit{atEntry, "", text} }
func before(anchor, text string) edit  { return edit{beforeStmt, anchor, text} }
func after(anchor, text string) edit   { return edit{afterStmt, anchor, text} }
func instead(anchor, text string) edit { return edit{insteadOf, anchor, text} }
func rename(name string) edit          { return edit{theName, "", name} }
func onlyIn(file string) edit          { return edit{inFile, file, ""} }
func fields(text string) edit          { return edit{afterFields, "", text} }
func only(release string) edit         { return edit{inRelease, release, ""} }

// A splice replaces the bytes [pos, end) of a file by text.
type splice struct {
	pos, end int
	text     string
}

// A source is a file that is being patched. The syntax tree is that of the original text, so that
// edits of one declaration do not affect each other.
type source struct {
	path    string // for errors of the parser
	text    []byte // as it is in GOROOT, or as package rewrite has made it
	fset    *token.FileSet
	file    *ast.File
	splices []splice        // in the order of the edits, which is kept at equal positions
	imports map[string]bool // that the splices add
}

// parseSource parses one file, whose import declarations and functions are needed.
func parseSource(path string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	// A newer release may have syntax that this parser does not know. The rest of the tree is
	// enough, as the compiler checks the result.
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution|parser.AllErrors)
	if file == nil || file.Name == nil {
		return nil, err
	}
	return &source{path: path, text: text, fset: fset, file: file, imports: map[string]bool{}}, nil
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) textOf(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// insert puts text before a position.
func (s *source) insert(at token.Pos, text string) {
	s.splices = append(s.splices, splice{s.offset(at), s.offset(at), text})
}

// replace puts text in place of n.
func (s *source) replace(n ast.Node, text string) {
	s.splices = append(s.splices, splice{s.offset(n.Pos()), s.offset(n.End()), text})
}

// require makes the patched file import path, in the line of the package clause.
func (s *source) require(path string) {
	for _, im := range s.file.Imports {
		if im.Path.Value == `"`+path+`"` && im.Name == nil { // not _ "unsafe", for linkname
			return
		}
	}
	if !s.imports[path] {
		s.imports[path] = true
		s.insert(s.file.Name.End(), fmt.Sprintf("; import %q", path))
	}
}

// apply makes an edit of decl. The error names the anchor that is missing.
func (s *source) apply(decl ast.Node, e edit) error {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return s.applyFunc(d, e)
	case *ast.TypeSpec:
		st, ok := d.Type.(*ast.StructType)
		if !ok || e.at != afterFields {
			return fmt.Errorf("expected a struct type")
		}
		s.insert(st.Fields.Closing, e.text)
		return nil
	}
	return fmt.Errorf("expected a function or a type")
}

// applyFunc makes an edit of a function. It changes each place that reads like the anchor, as
// copies of an operation in other branches need the same hook.
func (s *source) applyFunc(d *ast.FuncDecl, e edit) error {
	if d.Body == nil {
		return fmt.Errorf("expected a function with a body, found a declaration only")
	}
	switch e.at {
	case atEntry:
		s.insert(d.Body.Lbrace+1, " "+e.text)
		return nil
	case theName:
		s.replace(d.Name, e.text)
		return nil
	case inRelease, inFile:
		return nil
	}
	found := 0
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if e.at == insteadOf {
			if x, ok := n.(ast.Expr); ok && s.textOf(x) == e.anchor {
				found++
				s.replace(x, e.text)
				return false
			}
			return true
		}
		for _, st := range statements(n) {
			if s.textOf(st) != e.anchor {
				continue
			}
			found++
			if e.at == beforeStmt {
				s.insert(st.Pos(), e.text+"; ")
			} else {
				s.insert(st.End(), "; "+e.text)
			}
		}
		return true
	})
	if found == 0 {
		return fmt.Errorf("expected `%s` in its body, found none", e.anchor)
	}
	return nil
}

// statements returns the statements that n directly holds. An edit can be before or after these,
// and not in the header of an if.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// bytes returns the patched file.
func (s *source) bytes() []byte {
	sort.SliceStable(s.splices, func(i, j int) bool { return s.splices[i].pos < s.splices[j].pos })
	var out bytes.Buffer
	last := 0
	for _, p := range s.splices {
		out.Write(s.text[last:p.pos])
		out.WriteString(p.text)
		last = p.end
	}
	out.Write(s.text[last:])
	return out.Bytes()
}
