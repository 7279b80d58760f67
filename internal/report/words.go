package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// An operation is the words of the report for an operation.
type operation struct {
	phrase      string
	preposition string // between the phrase and the operand; "" if there is none
}

// Word returns the report's word for the operation op; op itself, if it is unknown.
func Word(op string) string {
	if o, ok := operations[op]; ok {
		return o.phrase
	}
	return op
}

// Phrase returns the report's words for the operation op of expr: "receive from c".
func Phrase(op, expr string) string {
	if expr == "" {
		return Word(op)
	}
	o, known := operations[op]
	if !known {
		o = operation{op, "of"}
	}
	if strings.HasPrefix(expr, WithinCall) {
		o.preposition = ""
	}
	return strings.Join(slices.DeleteFunc([]string{o.phrase, o.preposition, expr}, func(s string) bool { return s == "" }), " ")
}

// String returns what the step does, without its goroutine and place.
func (s Step) String() string { return s.cell(math.MaxInt) }

// cell returns the text of a step in its goroutine's column, in at most width runes: "read a.balance
// (100)", "write a.balance = 90", "lock a.mu", "go worker → 0.1", "wg.Go → 0.1". If it is too long
// the expression is cut, since the value says more.
func (s Step) cell(width int) string {
	before, after := Word(s.Op), ""
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
	expr := numbered(s.Expr, s.Object)
	switch {
	case s.Op == "fork" && strings.HasSuffix(expr, ".Go"), s.startsTest(): // no go statement
		before = ""
	case s.Op == "await" && expr == "timer":
		before, after = "", " fires"
	case (s.Op == "post" || s.Op == "await") && expr != "": // the call
		before = ""
	case expr != "":
		before += " "
	}
	if expr != "" {
		room := width - utf8.RuneCountInString(before) - utf8.RuneCountInString(after)
		expr = shorten(expr, max(room, 3))
	}
	return clip(before+expr+after, width)
}

// WithinCall begins the operands of accesses that a function of another module or of the standard
// library makes: "read in maps.Clone".
const WithinCall = "in "

// TestingFiles begins the names of the files of package testing.
const TestingFiles = "std/testing/"

// SubtestStart is the operand of the step in which package testing starts a subtest.
const SubtestStart = "t.Run"

// startsTest reports whether s is where package testing starts a subtest.
func (s Step) startsTest() bool {
	return s.Op == "fork" && s.Expr == SubtestStart && strings.HasPrefix(s.File, TestingFiles)
}

// shorten cuts an expression to w runes: first the text in brackets, then the beginning, since the end
// says most. shards[h%n].items becomes "shards[…].items", or "….items".
func shorten(expr string, w int) string {
	if utf8.RuneCountInString(expr) <= w {
		return expr
	}
	expr = elideBrackets(expr)
	n := utf8.RuneCountInString(expr)
	if n <= w {
		return expr
	}
	for i, r := range expr {
		if n--; r == '.' && n+2 <= w {
			return "…" + expr[i:]
		}
	}
	return clip(expr, w)
}

// elideBrackets replaces the text in brackets by "…", unless it is one character.
func elideBrackets(expr string) string {
	var out, inside strings.Builder
	depth := 0
	for _, r := range expr {
		if r == ')' || r == ']' {
			if depth--; depth == 0 {
				if utf8.RuneCountInString(inside.String()) > 1 {
					out.WriteString("…")
				} else {
					out.WriteString(inside.String())
				}
				inside.Reset()
			}
		}
		if depth > 0 {
			inside.WriteRune(r)
		} else {
			out.WriteRune(r)
		}
		if r == '(' || r == '[' {
			depth++
		}
	}
	return out.String() + inside.String()
}

// numbered returns what an object is called, with its number if another one has that name: "a.mu",
// "a.mu #2".
func numbered(expr string, object int) string {
	if expr == "" || object == 0 {
		return expr
	}
	return fmt.Sprintf("%s #%d", expr, object)
}

// Name returns what the place's object is called.
func (p Place) Name() string { return numbered(p.Expr, p.Object) }

// Name returns what the access's object is called.
func (a Access) Name() string { return numbered(a.Expr, a.Object) }

// ObjectsText says what the numbers of objects are; "" if there are none.
func (f *Finding) ObjectsText() string {
	if len(f.Objects) == 0 {
		return ""
	}
	var made []string
	for _, o := range f.Objects {
		if o.MadeAt != nil {
			made = append(made, fmt.Sprintf("#%d at %s", o.Object, o.MadeAt.Pos()))
		}
	}
	text := "Of one name there are several objects, which the numbers tell apart"
	if len(made) > 0 {
		text += "; made: " + strings.Join(made, ", ")
	}
	return text + "."
}
