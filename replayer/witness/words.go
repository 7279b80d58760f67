package witness

import (
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Phrase returns what readers call an operation on an operand: "write to
// a.balance". The operand may be "".
func Phrase(op, expr string) string {
	if expr == "" {
		return Word(op)
	}
	between := " of "
	if k, ok := trace.KindOf(op); ok && k.Spec().Preposition == "" {
		between = " "
	} else if ok {
		between = " " + k.Spec().Preposition + " "
	}
	return Word(op) + between + expr
}

// Word returns what readers call the operation op, a word of trace.Kind.String.
func Word(op string) string {
	if k, ok := trace.KindOf(op); ok {
		return k.Spec().Phrase
	}
	return op
}

// Prose puts into a text what readers call goroutines in place of their names:
// "goroutine 0.1" for "TestTransfer:0.1", if all are of that one test.
func Prose(text string, tests []string) string {
	for _, test := range tests {
		if !strings.Contains(text, test) {
			continue
		}
		name := regexp.MustCompile(`\b(` + regexp.QuoteMeta(test) + `(?:#\d+)?:)(\d+(?:\.\d+)*)\b`)
		with := "goroutine $2"
		if len(tests) > 1 {
			with = "goroutine $1$2"
		}
		text = name.ReplaceAllString(text, with)
	}
	return text
}
