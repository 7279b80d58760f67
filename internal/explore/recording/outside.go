package recording

import (
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// inputNames are the words for [trace.Unseen.What], of input that no order of goroutines decides.
var inputNames = map[string]string{
	"clock": "the clock", "files": "files", "network": "the network", "chance": "crypto/rand", "environment": "the environment",
	"processes": "other processes",
}

// Inputs returns what a test of t read from outside of the program, as [trace.Unseen.What]
// names it.
func Inputs(t *trace.Trace, test string) (all []string) {
	for _, u := range t.Unseen {
		if Function(u.Test) == test && inputNames[u.What] != "" {
			all = append(all, u.What)
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
