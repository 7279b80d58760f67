package property_test

import (
	"fmt"

	"github.com/gopredict/gopredict/gotestplugin/property"
)

// A job is an object whose end no method shows.
type job struct{ name string }

func (j *job) Log(text string) { fmt.Println(j.name+":", text) }

// The event "end" has no method: the program reports it by property.Event.
var _ = property.For[*job]("no log of a job that has ended").
	On("log", (*job).Log).
	On("end").
	LTL("end -> always !log")

// Event reports what no call of a method shows. It does nothing when tests run plainly.
func ExampleEvent() {
	j := &job{"backup"}
	j.Log("begins")
	property.Event("end", j)
	// Output: backup: begins
}
