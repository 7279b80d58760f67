package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// A piece is the new text of one part of a node.
type piece struct {
	lo, hi token.Pos
	text   string
}

// at makes the piece that replaces n.
func at(n ast.Node, text string) piece { return piece{n.Pos(), n.End(), text} }

// after makes the piece that inserts text at pos.
func after(pos token.Pos, text string) piece { return piece{pos, pos, text} }

// raw is the original text between two positions.
func (e *editor) raw(lo, hi token.Pos) string {
	return string(e.src[e.tokens.Offset(lo):e.tokens.Offset(hi)])
}

// source is the original text of n.
func (e *editor) source(n ast.Node) string { return e.raw(n.Pos(), n.End()) }

// splice is the text between lo and hi, with the pieces, which are in source
// order, in place of what they replace.
func (e *editor) splice(lo, hi token.Pos, pieces ...piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(e.raw(lo, p.lo))
		if off := e.tokens.Offset(p.lo); off > 0 && p.text != "" && isWord(e.src[off-1]) && isWord(p.text[0]) {
			b.WriteByte(' ') // as in if(x)
		}
		b.WriteString(p.text)
		lo = p.hi
	}
	b.WriteString(e.raw(lo, hi))
	return b.String()
}

// isWord reports whether c may be part of an identifier or keyword.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// in is the text of n with the pieces in place of what they replace.
func (e *editor) in(n ast.Node, pieces ...piece) string {
	return e.splice(n.Pos(), n.End(), pieces...)
}

// line is the number of pos's line in the file as it is, whatever line
// directives say.
func (e *editor) line(pos token.Pos) int { return e.tokens.PositionFor(pos, false).Line }
