package recording

import (
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// inputNames are the words for [trace.HiddenInput.Source], of input that no order of goroutines decides.
var inputNames = map[string]string{
	"clock": "the clock", "files": "files", "network": "the network", "chance": "crypto/rand", "environment": "the environment",
	"processes": "other processes",
}

// Inputs returns what a test of t read from outside of the program, as [trace.HiddenInput.Source]
// names it.
func Inputs(t *trace.Trace, test string) (all []string) {
	for _, u := range t.HiddenInputs {
		if Function(u.Test) == test && inputNames[u.Source] != "" {
			all = append(all, u.Source)
		}
	}
	return all
}

// InputsText names what a test of t read from outside of the program, to be put after a
// reason; "" if that is nothing.
func InputsText(t *trace.Trace, test string) string {
	var all []string
	for _, what := range Inputs(t, test) {
		all = append(all, inputNames[what])
	}
	if len(all) == 0 {
		return ""
	}
	return "; it has looked at " + strings.Join(all, ", ")
}
