package rewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func TestEvents(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/events.txtar")
	require.NoError(t, err)
	last := len(archive.Files) - 1
	want := string(archive.Files[last].Data)
	archive.Files = archive.Files[:last]
	m := newModule(t, archive)
	m.instrument(t)
	log := filepath.Join(t.TempDir(), "log")
	assert.Equal(t, "\nexit status 0\n", m.output(t, "EVENTS="+log))

	shown := map[string]string{}
	for _, s := range m.result.Sites {
		shown[fmt.Sprint(s.ID)] = s.Op + " " + s.Expr
		if s.Func == "example.com/events.f" {
			shown[fmt.Sprint(s.ID)] = "f"
		}
	}
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	var got strings.Builder
	for line := range strings.Lines(string(data)) {
		id, extra, _ := strings.Cut(strings.TrimSpace(line), " ")
		got.WriteString(strings.TrimSpace(shown[id]+" "+extra) + "\n")
	}
	assert.Equal(t, want, got.String())
}
