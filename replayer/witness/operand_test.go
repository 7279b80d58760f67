package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSoleCall(t *testing.T) {
	for line, want := range map[string]string{
		"return maps.Clone(m)": "maps.Clone",
		"	c.conn.WriteMessage(websocket.Text, []byte(text)) // a.b()": "c.conn.WriteMessage",
		`wg.Go(func() { b.WriteString("a") })`:                        "b.WriteString",
		"x := strings.Join(strings.Fields(s), sep)":                   "",
		"n := len(names) + cap(names)":                                "",
		"go func() {":                                                 "",
		"if err := enc.Encode(v); err != nil {":                       "enc.Encode",
		"b.Write(b.Bytes())":                                          "",
		"both(func() { w.Flush() }, func() { w.Flush() })":            "w.Flush",
	} {
		assert.Equal(t, want, SoleCall(line), line)
	}
}
