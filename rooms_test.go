package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/gopredict/gopredict"

// modules are the names that CONTRIBUTING.md has for those of others.
var modules = map[string]string{
	"github.com/ebitengine/purego":    "purego",
	"github.com/rogpeppe/go-internal": "go-internal",
	"github.com/stretchr/testify":     "testify",
	"golang.org/x/sync":               "x/sync",
	"golang.org/x/term":               "x/term",
	"golang.org/x/tools":              "x/tools",
}

// The map in CONTRIBUTING.md has a row for each room, with what it imports.
func TestMapIsWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	listed := make(map[string][]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		var rooms []string
		if m[2] != "std" {
			rooms = strings.Split(strings.ReplaceAll(m[2], "`", ""), ", ")
		}
		slices.Sort(rooms)
		listed[m[1]] = rooms
	}
	list := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		room := strings.TrimPrefix(strings.TrimPrefix(words[0], module), "/")
		if room == "" {
			room = "main.go"
		}
		var imports []string
		for _, path := range words[1:] {
			if own, ok := strings.CutPrefix(path, module+"/"); ok {
				imports = append(imports, own)
			} else if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
				imports = append(imports, moduleOf(t, path))
			}
		}
		slices.Sort(imports)
		want, ok := listed[room]
		assert.True(t, ok, "CONTRIBUTING.md has no row for %s", room)
		assert.Equal(t, slices.Compact(imports), want, "what CONTRIBUTING.md says that %s imports", room)
	}
}

// moduleOf names the module of another's package.
func moduleOf(t *testing.T, path string) string {
	for prefix, name := range modules {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return name
		}
	}
	t.Errorf("%s is of no module that this test knows", path)
	return path
}
