package known

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/given"
	"github.com/gopredict/gopredict/internal/report"
)

// directive begins a comment that tells to ignore bugs of a kind, and why:
//
//	//gopredict:ignore race the counter is for statistics only
//
// It stands above a statement or at the end of its line, or above a function or type; of a
// type it is about its methods. A bug is ignored if one of its places is there.
const directive = "//gopredict:ignore"

// Comments are those of some folders that tell to ignore bugs.
type Comments struct {
	comments []*comment
	Bad      []string // those without a kind or a reason, which ignore nothing
}

// A comment tells to ignore bugs of a kind at some lines of a file, or in the methods of a
// type of a folder.
type comment struct {
	at       string // FILE:LINE
	kind     bug.Kind
	reason   string
	file     string
	from, to int
	method   string // "Account"
	used     bool
}

// maxSource is the size of the largest source file that is read, in bytes.
const maxSource = 64 << 20

// ReadComments reads the comments of the Go files in folders. Name gives a file the name
// that reports have for it.
func ReadComments(folders []string, name func(path string) string) *Comments {
	c := new(Comments)
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, file := range files {
			// What cannot be read or parsed has no findings either: the build has said so.
			if text, err := given.Read(file, maxSource); err == nil && strings.Contains(string(text), directive) {
				c.file(name(file), text)
			}
		}
	}
	return c
}

// file reads the comments of one file.
func (c *Comments) file(name string, text []byte) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, group := range file.Comments {
		for _, text := range group.List {
			rest, ok := strings.CutPrefix(text.Text, directive)
			if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				continue
			}
			at := fmt.Sprintf("%s:%d", name, line(text.Pos()))
			kind, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if !slices.Contains(bug.Kinds(), bug.Kind(kind)) || strings.TrimSpace(reason) == "" {
				c.Bad = append(c.Bad, fmt.Sprintf("%s: found %q, expected %s KIND REASON; kinds are %s", at, text.Text, directive, strings.Join(bug.Words(bug.Kinds()), ", ")))
				continue
			}
			own := line(text.Pos())
			m := &comment{at: at, kind: bug.Kind(kind), reason: strings.TrimSpace(reason), file: name, from: own, to: own}
			below := line(group.End()) + 1
			ast.Inspect(file, func(n ast.Node) bool { return m.extendOver(n, line, own, below) })
			c.comments = append(c.comments, m)
		}
	}
}

// extendOver takes the lines of the node n if it begins in the line below the comment, or ends in
// that of the comment, whose line is own; it reports whether to look into n.
func (m *comment) extendOver(n ast.Node, line func(token.Pos) int, own, below int) bool {
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.GenDecl, ast.Stmt, *ast.TypeSpec:
		from, to := line(n.Pos()), line(n.End())
		if from == below || from == own {
			m.to = max(m.to, to)
		}
		if s, ok := n.(*ast.TypeSpec); ok && (from == below || from == own) {
			m.method = s.Name.Name
		}
		if d, ok := n.(*ast.GenDecl); ok && from == below && d.Tok == token.TYPE && len(d.Specs) == 1 {
			if s, ok := d.Specs[0].(*ast.TypeSpec); ok {
				m.method = s.Name.Name
			}
		}
	}
	return n != nil
}

// covers reports whether the comment is about a place.
func (m *comment) covers(p report.Place) bool {
	if p.File == m.file && m.from <= p.Line && p.Line <= m.to {
		return true
	}
	if m.method == "" || filepath.Dir(p.File) != filepath.Dir(m.file) {
		return false
	}
	receiver, _, ok := strings.Cut(strings.TrimPrefix(p.Func, "(*"), ".")
	receiver, _, _ = strings.Cut(strings.TrimSuffix(receiver, ")"), "[")
	return ok && receiver == m.method
}

// Mark suppresses the findings that a comment tells to ignore.
func (c *Comments) Mark(r *report.Report) {
	suppress(r, report.ByComment, func(f *report.Finding) (reason string, ok bool) {
		for _, m := range c.comments {
			for _, a := range f.Accesses {
				if m.kind == f.Kind && m.covers(report.Place{Func: a.Func, File: a.File, Line: a.Line}) {
					m.used = true
					if !ok {
						reason, ok = m.reason+" ("+m.at+")", true
					}
				}
			}
		}
		return reason, ok
	})
}

// Unused tells which comments have ignored nothing.
func (c *Comments) Unused() []string {
	var out []string
	for _, m := range c.comments {
		if !m.used {
			out = append(out, fmt.Sprintf("%s: %s %s ignores nothing of what this run has confirmed", m.at, directive, m.kind))
		}
	}
	return out
}
