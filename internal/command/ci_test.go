package command

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What docs/ci.md has to copy parses, as far as that can be told here, and has flags that
// there are.
func TestCI(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 5)
	for _, b := range blocks {
		language, code := b[1], b[2]
		switch language {
		case "sh":
			parse := exec.Command("sh", "-n")
			parse.Stdin = strings.NewReader(code)
			out, err := parse.CombinedOutput()
			assert.NoError(t, err, "%s%s", code, out)
		case "yaml":
			assert.NotContains(t, code, "\t")
			for line := range strings.Lines(code) {
				assert.Zero(t, (len(line)-len(strings.TrimLeft(line, " ")))%2, "%q", line)
			}
		case "groovy":
			assert.Equal(t, strings.Count(code, "{"), strings.Count(code, "}"))
		default:
			t.Errorf("a block of %s, which nothing parses", language)
		}
		for _, m := range regexp.MustCompile(`gopredict (test|report) ([^\n'|]*)`).FindAllStringSubmatch(code, -1) {
			s := &session{dir: t.TempDir()}
			if m[1] == "test" {
				_, _, err := parseOptions("", strings.Fields(m[2]))
				assert.NoError(t, err, m[0])
				continue
			}
			_, err := s.runReport(t.Context(), strings.Fields(m[2]))
			assert.ErrorContains(t, err, "gopredict.json: no such file", "the flags are known: %s", m[0])
		}
	}
}
