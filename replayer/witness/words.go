package witness

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// String describes a step: "write to a.balance in bank.(*Account).Deposit (bank.go:12, occurrence
// 2)".
func (s Step) String() string {
	text := s.phrase()
	if s.Func != "" {
		text += " in " + path.Base(s.Func)
	}
	if s.Line == 0 {
		return text
	}
	text += fmt.Sprintf(" (%s:%d", filepath.Base(s.File), s.Line)
	if s.Occurrence > 1 {
		text += fmt.Sprintf(", occurrence %d", s.Occurrence)
	}
	return text + ")"
}

// phrase describes the operation and its operand: "write to a.balance".
func (s Step) phrase() string {
	word := s.OperationWord()
	if s.Expr == "" {
		return OperationPhrase(word)
	}
	between := " of "
	if k, ok := trace.KindOf(word); ok {
		between = strings.TrimSuffix(" "+k.Spec().Preposition, " ") + " "
	}
	return OperationPhrase(word) + between + s.Expr
}

// OperationPhrase returns what readers call the operation op, a word of trace.Kind.String.
func OperationPhrase(op string) string {
	if k, ok := trace.KindOf(op); ok {
		return k.Spec().Phrase
	}
	return op
}

// ReadableGoroutines replaces the names of goroutines in a text by what readers call them:
// "goroutine 0.1" for "TestTransfer:0.1", if all are of that one test.
func ReadableGoroutines(text string, tests []string) string {
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
