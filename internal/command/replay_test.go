package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/explore"
	"github.com/gopredict/gopredict/replayer/witness"
)

func TestInstrumentFor(t *testing.T) {
	w := &witness.Witness{
		Steps: []witness.Step{
			{Func: "example.com/m.TestX.func1", Nth: 1},
			{Func: "gopkg.in/yaml%2ev3.(*Decoder).Decode", Nth: 2},
			{Func: "net/http.(*Server).Serve"}, // a call
		},
		Violation: []witness.Step{{Func: "strings.(*Builder).WriteString", Nth: 1}, {Func: "example.com/m.f[...]", Nth: 1}},
	}
	require.Equal(t, []string{"work", "example.com/m", "gopkg.in/yaml.v3", "strings"}, explore.Instrument(nil, w))
	require.Equal(t, []string{"all"}, explore.Instrument([]string{"all"}, w))
}
