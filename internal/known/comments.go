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
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/untrusted"
)

// directive begins a comment that says which kind of bug to ignore, and why:
//
//	//gopredict:ignore race the counter is for statistics only
//
// The comment is above a statement or at the end of its line, or above a function or type. At a type
// it covers the methods. A bug is ignored if a comment covers one of its accesses.
const directive = "//gopredict:ignore"

// Comments are the comments of some folders that say which bugs to ignore.
type Comments struct {
	comments  []*comment
	Malformed []string // those without a kind or a reason, which ignore nothing
}

// A comment covers some lines of a file, and the methods of a type of the file's folder.
type comment struct {
	position string // FILE:LINE
	kind     bug.Kind
	reason   string
	file     string
	from, to int
	receiver string // the type whose methods it covers: "Account"; "" if it is at no type
	used     bool
}

// ReadComments reads the comments of the Go files in folders. Name returns the name of a file in
// reports.
func ReadComments(folders []string, name func(path string) string) *Comments {
	c := new(Comments)
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, file := range files {
			// Files that cannot be read or parsed have no findings: the build fails.
			if text, err := untrusted.Read(file, maxSource); err == nil && strings.Contains(string(text), directive) {
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
			position := fmt.Sprintf("%s:%d", name, line(text.Pos()))
			kind, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if !slices.Contains(bug.Kinds(), bug.Kind(kind)) || strings.TrimSpace(reason) == "" {
				c.Malformed = append(c.Malformed, fmt.Sprintf("%s: found %q, expected %s KIND REASON; kinds are %s", position, text.Text, directive, strings.Join(bug.KindNames(bug.Kinds()), ", ")))
				continue
			}
			own := line(text.Pos())
			m := &comment{position: position, kind: bug.Kind(kind), reason: strings.TrimSpace(reason), file: name, from: own, to: own}
			below := line(group.End()) + 1
			ast.Inspect(file, func(n ast.Node) bool { return m.extendOver(n, line, own, below) })
			c.comments = append(c.comments, m)
		}
	}
}

// extendOver extends the comment over the node n if that begins in the comment's own line, or in the
// line below. It reports whether to look into n.
func (m *comment) extendOver(n ast.Node, line func(token.Pos) int, own, below int) bool {
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.GenDecl, ast.Stmt, *ast.TypeSpec:
		from, to := line(n.Pos()), line(n.End())
		if from == below || from == own {
			m.to = max(m.to, to)
		}
		if s, ok := n.(*ast.TypeSpec); ok && (from == below || from == own) {
			m.receiver = s.Name.Name
		}
		if d, ok := n.(*ast.GenDecl); ok && from == below && d.Tok == token.TYPE && len(d.Specs) == 1 {
			if s, ok := d.Specs[0].(*ast.TypeSpec); ok {
				m.receiver = s.Name.Name
			}
		}
	}
	return n != nil
}

// covers reports whether the comment covers a position.
func (m *comment) covers(p report.Position) bool {
	if p.File == m.file && m.from <= p.Line && p.Line <= m.to {
		return true
	}
	if m.receiver == "" || filepath.Dir(p.File) != filepath.Dir(m.file) {
		return false
	}
	receiver, _, ok := strings.Cut(strings.TrimPrefix(p.Func, "(*"), ".")
	receiver, _, _ = strings.Cut(strings.TrimSuffix(receiver, ")"), "[")
	return ok && receiver == m.receiver
}

// Mark suppresses the findings that comments cover.
func (c *Comments) Mark(r *report.Report) {
	suppress(r, report.ByComment, func(f *report.Finding) (reason string, ok bool) {
		for _, m := range c.comments {
			for _, a := range f.Accesses {
				if m.kind == f.Kind && m.covers(a.Position) {
					m.used = true
					if !ok {
						reason, ok = m.reason+" ("+m.position+")", true
					}
				}
			}
		}
		return reason, ok
	})
}

// Unused returns a warning for each comment that has suppressed nothing.
func (c *Comments) Unused() []string {
	var out []string
	for _, m := range c.comments {
		if !m.used {
			out = append(out, fmt.Sprintf("%s: %s %s ignores nothing of what this run has confirmed", m.position, directive, m.kind))
		}
	}
	return out
}
