package witness

import (
	"regexp"
	"strings"
)

// words are what readers call the operations of the trace, where that is
// another word.
var words = map[string]string{
	"aload":       "atomic load",
	"astore":      "atomic store",
	"armw":        "atomic update",
	"fork":        "go",
	"end":         "goroutine ends",
	"acq":         "lock",
	"rel":         "unlock",
	"racq":        "read lock",
	"rrel":        "read unlock",
	"recv":        "receive",
	"selsend":     "send",
	"add":         "add",
	"assert":      "assertion",
	"branch":      "condition",
	"wgwait":      "wait",
	"oncebegin":   "run",
	"onceend":     "finish",
	"oncedone":    "do",
	"post":        "hand over",
	"await":       "take over",
	"testbegin":   "test begins",
	"regionbegin": "enter",
	"regionend":   "leave",
	"testend":     "test ends",
}

// Phrase returns what readers call an operation on an operand: "write to
// a.balance". The operand may be "".
func Phrase(op, expr string) string {
	word := Word(op)
	if expr == "" {
		return word
	}
	switch op {
	case "write", "astore", "send", "selsend", "add":
		return word + " to " + expr
	case "recv":
		return word + " from " + expr
	case "wgwait", "condwait":
		return word + " for " + expr
	case "acq", "rel", "racq", "rrel", "close", "fork", "regionbegin", "regionend", "oncebegin", "onceend", "oncedone", "assert", "branch":
		return word + " " + expr
	}
	return word + " of " + expr
}

// Word returns what readers call the operation op, a word of trace.Kind.String.
func Word(op string) string {
	if w := words[op]; w != "" {
		return w
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
