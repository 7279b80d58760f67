package predictrt

import (
	"fmt"
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
	Brief   bool          // a run is repeated: sleeps of the tests pass at once; always so in a replay
	Tests   time.Duration // how much time the tests have by their own clock, if that is more than their -test.timeout
}

// String returns the value of [EnvVar].
func (m Mode) String() string {
	word := "record"
	switch {
	case m.Plan != "":
		word = "replay"
	case m.Trace == "":
		return ""
	}
	for _, option := range []struct {
		is   bool
		text string
	}{
		{m.Plan != "", "plan=" + m.Plan},
		{m.Verdict != "", "verdict=" + m.Verdict},
		{m.Trace != "", "trace=" + m.Trace},
		{m.Limit > 0, fmt.Sprint("limit=", m.Limit)},
		{m.Order != "", "order=" + m.Order},
		{m.Brief, "brief"},
		{m.Tests > 0, fmt.Sprint("tests=", m.Tests.Nanoseconds())},
		{m.Hold > 0, fmt.Sprint("hold=", m.Hold.Nanoseconds())},
	} {
		if option.is {
			word += ";" + option.text
		}
	}
	return word
}

// Env returns the variable as an environment has it, NAME=VALUE.
func (m Mode) Env() string { return EnvVar + "=" + m.String() }
