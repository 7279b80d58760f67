package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/replayer/witness"
)

func TestInstrumentFor(t *testing.T) {
	w := &witness.Witness{
		Steps: []witness.Step{
			{Func: "example.com/m.TestX.func1", SiteNumber: 1},
			{Func: "gopkg.in/yaml%2ev3.(*Decoder).Decode", SiteNumber: 2},
			{Func: "net/http.(*Server).Serve"}, // a call
		},
		Violation: []witness.Step{{Func: "strings.(*Builder).WriteString", SiteNumber: 1}, {Func: "example.com/m.f[...]", SiteNumber: 1}},
	}
	require.Equal(t, []string{"work", "example.com/m", "gopkg.in/yaml.v3", "strings"}, explore.PatternsToInstrument(nil, w))
	require.Equal(t, []string{"all"}, explore.PatternsToInstrument([]string{"all"}, w))
}

// A bug has moved if its places have, in whatever order they are.
func TestMoved(t *testing.T) {
	at := func(places ...witness.Step) *witness.Witness { return &witness.Witness{Violation: places} }
	a9, a21, b3 := witness.Step{File: "a.go", Line: 9}, witness.Step{File: "a.go", Line: 21}, witness.Step{File: "b.go", Line: 3}
	assert.Equal(t, "from a.go:9 and b.go:3 to a.go:9 and a.go:21", describeMove(at(b3, a9), at(a21, a9)))
	assert.Equal(t, "from a.go:9 to b.go:3", describeMove(at(a9, a9), at(b3)))
	assert.Empty(t, describeMove(at(a9, b3), at(b3, a9)))
}
