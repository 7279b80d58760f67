package report

import (
	"unicode/utf8"

	"github.com/gopredict/gopredict/replayer/witness"
)

// cell is what the table shows of a step in its goroutine's column, in at most
// width runes: "read a.balance (100)", "write a.balance = 90", "lock a.mu", "go
// worker → 0.1". Where that is too long the expression is cut, as the value
// says more.
func (s Step) cell(width int) string {
	before, after := witness.Word(s.Op), ""
	switch {
	case s.Value == "":
	case s.Op == "fork":
		after = " → " + s.Value
	case s.Op == "read" || s.Op == "aload":
		after = " (" + s.Value + ")"
	case s.Op == "add":
		after = " " + s.Value
	default:
		after = " = " + s.Value
	}
	expr := s.Expr
	if expr != "" {
		before += " "
		room := width - utf8.RuneCountInString(before) - utf8.RuneCountInString(after)
		expr = clip(expr, max(room, 3))
	}
	return clip(before+expr+after, width)
}
