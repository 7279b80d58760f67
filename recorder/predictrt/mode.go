package predictrt

import (
	"fmt"
	"strings"
	"time"
)

// EnvVar is the environment variable that says what the run-time library does. Without it, the
// program runs as it is. _src/init.go reads it.
const EnvVar = "GOPREDICT_RT"

// A Mode is what the run-time library does: it records or replays or, if both Plan and Trace are
// "", nothing.
type Mode struct {
	Plan    string        // file of the schedule to follow; "": none, the program is recorded only
	Verdict string        // file for the outcome of the schedule
	Trace   string        // file for the events; "": they are not recorded
	Limit   int           // bytes of events that are recorded, before compression; 0: no limit
	Order   string        // of the goroutines that the schedule does not order; "": newest first
	Hold    time.Duration // how long the program stops when the violation is reached
	Brief   bool          // a run is repeated: the tests have less time, and their sleeps pass at once; always so in a replay
}

// String returns the value of [EnvVar].
func (m Mode) String() string {
	var words []string
	add := func(name, value string, is bool) {
		if is {
			words = append(words, name+"="+value)
		}
	}
	switch {
	case m.Plan != "":
		words = append(words, "replay")
	case m.Trace != "":
		words = append(words, "record")
	default:
		return ""
	}
	add("plan", m.Plan, m.Plan != "")
	add("verdict", m.Verdict, m.Verdict != "")
	add("trace", m.Trace, m.Trace != "")
	add("limit", fmt.Sprint(m.Limit), m.Limit > 0)
	add("order", m.Order, m.Order != "")
	if m.Brief {
		words = append(words, "brief")
	}
	add("hold", fmt.Sprint(m.Hold.Nanoseconds()), m.Hold > 0)
	return strings.Join(words, ";")
}

// Env returns the variable as an environment has it, NAME=VALUE.
func (m Mode) Env() string { return EnvVar + "=" + m.String() }
