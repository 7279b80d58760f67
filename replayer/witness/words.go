package witness

// words are what readers call the operations of the trace, where that is
// another word.
var words = map[string]string{
	"aload":     "atomic load",
	"astore":    "atomic store",
	"armw":      "atomic update",
	"fork":      "go",
	"end":       "goroutine ends",
	"acq":       "lock",
	"rel":       "unlock",
	"racq":      "read lock",
	"rrel":      "read unlock",
	"recv":      "receive",
	"add":       "add",
	"wgwait":    "wait",
	"oncebegin": "once begins",
	"onceend":   "once ends",
	"oncedone":  "once done",
	"testbegin": "test begins",
	"testend":   "test ends",
}

// Word returns what readers call the operation op, a word of trace.Kind.String.
func Word(op string) string {
	if w := words[op]; w != "" {
		return w
	}
	return op
}
