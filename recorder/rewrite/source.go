package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// A sourceFile is the text of a file that is being rewritten. New text is made of pieces
// of it, and is written at its positions.
type sourceFile struct {
	path       string // absolute
	src        []byte
	tokens     *token.File
	directives bool // it holds line directives
}

// A piece is the new text of one part of a node.
type piece struct {
	start, end token.Pos
	text       string
}

// replace makes the piece that replaces n.
func replace(n ast.Node, text string) piece { return piece{n.Pos(), n.End(), text} }

// insert makes the piece that inserts text at pos.
func insert(pos token.Pos, text string) piece { return piece{pos, pos, text} }

// textBetween is the original text between two positions.
func (f *sourceFile) textBetween(lo, hi token.Pos) string {
	return string(f.src[f.tokens.Offset(lo):f.tokens.Offset(hi)])
}

// textOf is the original text of n.
func (f *sourceFile) textOf(n ast.Node) string { return f.textBetween(n.Pos(), n.End()) }

// spliceBetween is the text between lo and hi, with the pieces, which are in source
// order, in place of what they replace.
func (f *sourceFile) spliceBetween(lo, hi token.Pos, pieces ...piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(f.textBetween(lo, p.start))
		if off := f.tokens.Offset(p.start); off > 0 && p.text != "" && isWord(f.src[off-1]) && isWord(p.text[0]) {
			b.WriteByte(' ') // as in if(x)
		}
		b.WriteString(p.text)
		lo = p.end
	}
	b.WriteString(f.textBetween(lo, hi))
	return b.String()
}

// isWord reports whether c may be part of an identifier or keyword.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// spliceNode is the text of n with the pieces in place of what they replace.
func (f *sourceFile) spliceNode(n ast.Node, pieces ...piece) string {
	return f.spliceBetween(n.Pos(), n.End(), pieces...)
}

// line is the number of pos's line in the file as it is, whatever line
// directives say.
func (f *sourceFile) line(pos token.Pos) int { return f.tokens.PositionFor(pos, false).Line }

// missingNewlines is the newlines that text, which replaces n, lacks. They may stand
// in front of a statement.
func (f *sourceFile) missingNewlines(n ast.Node, text string) string {
	return strings.Repeat("\n", max(0, strings.Count(f.textOf(n), "\n")-strings.Count(text, "\n")))
}

// newlines is the newlines between two positions.
func (f *sourceFile) newlines(lo, hi token.Pos) string {
	return strings.Repeat("\n", strings.Count(f.textBetween(lo, hi), "\n"))
}

// twoPartBlock is the block {first last} in place of s. What panics in last does
// so on the line of the assignment's operator, as in s.
func (f *sourceFile) twoPartBlock(s ast.Stmt, first, last string) string {
	first = f.missingNewlines(s, first+last) + first
	return "{" + first + f.lineDirectiveAfter(first, operator(s)) + last + f.lineDirectiveAfter(first+last, s.End()) + "}"
}

// lineDirectiveAfter makes what follows stand on pos's line, as it would if the text
// moved before it, if that spans lines, were not there.
func (f *sourceFile) lineDirectiveAfter(moved string, pos token.Pos) string {
	if !strings.Contains(moved, "\n") {
		return ""
	}
	return f.lineDirective(pos)
}

// lineDirective makes what follows stand on pos's line.
func (f *sourceFile) lineDirective(pos token.Pos) string {
	if f.directives {
		return ""
	}
	p := f.tokens.PositionFor(pos, false)
	return fmt.Sprintf("/*line :%d:%d*/", p.Line, p.Column)
}

// spansLines reports whether a line ends between the beginning of x, an operand on
// the left-hand side of s, and the operator of s.
func (f *sourceFile) spansLines(x ast.Expr, s ast.Stmt) bool {
	return f.line(x.Pos()) != f.line(operator(s))
}

// keepLines puts text, which replaces the left-hand side x of s, on the lines of x, where it would
// otherwise be on the operator's line.
func (f *sourceFile) keepLines(x ast.Expr, s ast.Stmt, text string) string {
	if !f.spansLines(x, s) {
		return text
	}
	return f.lineDirective(x.Pos()) + text + f.lineDirective(operator(s))
}

// operator is the position of the operator of s, if it is an assignment.
func operator(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.TokPos
	case *ast.IncDecStmt:
		return s.TokPos
	}
	return s.Pos()
}
