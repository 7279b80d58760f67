package untrusted

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\xff\u009b ü\n")
	f.Fuzz(func(t *testing.T, s string) {
		p := Printable(s)
		assert.NotContains(t, p, "\x1b")
		assert.True(t, utf8.ValidString(p))
		assert.Equal(t, p, Printable(p), "what is printable stays")
		assert.NotContains(t, Line(s), "\n")
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext, ü 日本 ▶ │":  "plain\n\ttext, ü 日本 ▶ │",
		"\x1b]0;title\a \x1b[2J":   `\x1b]0;title\a \x1b[2J`,
		"a\rb\x7f\u009b31m\u202ex": `a\rb\x7f\u009b31m\u202ex`,
		"a\xff\x9b2J �":            `a\xff\x9b2J �`,
		`a \x1b b`:                 `a \x1b b`,
	} {
		assert.Equal(t, want, Printable(in), fmt.Sprintf("%q", in))
	}
}

func TestJSON(t *testing.T) {
	for _, text := range []string{"plain ü", "a\u202eb\u2066\x7f\u009b", "tag \U000e0001 \U0001f600", "\x1b[2J\n\t\r", "\xff"} {
		plain, err := json.MarshalIndent(map[string]string{"text": text}, "", "\t")
		require.NoError(t, err)
		safe := JSON(plain)
		assert.Equal(t, Printable(string(safe)), string(safe), "%q", text)
		var want, got any
		require.NoError(t, json.Unmarshal(plain, &want))
		require.NoError(t, json.Unmarshal(safe, &got))
		assert.Equal(t, want, got)
	}
}
