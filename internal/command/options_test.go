package command

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/gopredict/gopredict/gotestplugin" // for its flags
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/properties"
)

func TestParseOptions(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	args := "-v -predict.json r.json ./... --predict.timeout=3s -predict -predict.keep=k -predict.runs=3 -run X -args -predict.json=no"
	o, rest, err := parseOptions("json=env.json witnesses=w", strings.Fields(args))
	require.NoError(t, err)
	assert.Equal(t, options{
		reportFiles: map[string]string{"json": "r.json"}, witnesses: "w", replayTimeout: 3 * time.Second, runs: 3, seed: 1, keepFolder: "k",
		failOn: []string{"deadlock", "channel", "waitgroup", "failure", "race", "property", "effect"},
	}, o)
	assert.Equal(t, strings.Fields("-v ./... -run X -args -predict.json=no"), rest)

	t.Setenv("GITHUB_ACTIONS", "true")
	o, _, err = parseOptions("", nil)
	require.NoError(t, err)
	assert.True(t, o.forGitHub)
	o, _, err = parseOptions("github=off", nil)
	require.NoError(t, err)
	assert.False(t, o.forGitHub)

	_, rest, err = parseOptions("", strings.Fields("p -- -predict.json"))
	require.NoError(t, err)
	assert.Equal(t, strings.Fields("p -- -predict.json"), rest)
}

// What users import takes the options that the command has.
func TestPluginTakesOptions(t *testing.T) {
	var flags []string
	flag.VisitAll(func(f *flag.Flag) {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			flags = append(flags, name)
		}
	})
	assert.Equal(t, slices.Sorted(maps.Keys(optionTable)), flags)
}

// docs/command.md has how each command is called, and a row for each option.
func TestDocsNameCommandsAndOptions(t *testing.T) {
	text, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	var usage strings.Builder
	for _, p := range commands() {
		for _, line := range p.usage {
			usage.WriteString("    gopredict " + line + "\n")
		}
	}
	assert.Contains(t, string(text), "\n\n"+usage.String()+"\n")
	for name := range optionTable {
		assert.Contains(t, string(text), "\n| `"+name+"` | ")
	}
}

// docs/command.md names the kinds that are looked for, and those that gate.
func TestDocsNameKinds(t *testing.T) {
	text, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), "by commas: `"+strings.Join(bug.KindNames(bug.Kinds()), "`, `")+"` |")
	assert.Contains(t, string(text), "| `"+strings.Join(defaultOptions().failOn, ",")+"` |")
}

// The properties that only warn, which package bug names, are built in.
func TestWarningsAreBuiltin(t *testing.T) {
	var warnings []string
	for _, p := range properties.Builtin() {
		if bug.WarnsOnly(p.Name) {
			warnings = append(warnings, p.Name)
		}
	}
	assert.Len(t, warnings, 4)
}

func TestFails(t *testing.T) {
	for _, tt := range []struct {
		failOn  string
		finding report.Finding
		want    bool
	}{
		{"", report.Finding{Status: "confirmed", Kind: "race", Effect: "none"}, true},
		{"", report.Finding{Status: "confirmed", Kind: "deadlock", Effect: "deadlock"}, true},
		{"", report.Finding{Status: "confirmed", Kind: "atomicity", Effect: "none"}, false},
		{"", report.Finding{Status: "confirmed", Kind: "atomicity", Effect: "panic"}, true},
		{"", report.Finding{Status: "unconfirmed", Kind: "race"}, false},
		{"", report.Finding{Status: "confirmed", Kind: "property", Pattern: "of a test's own", Effect: "none"}, true},
		{"", report.Finding{Status: "confirmed", Kind: "property", Pattern: "no use of rows that are closed", Effect: "none"}, false},
		{"", report.Finding{Status: "confirmed", Kind: "property", Pattern: "no use of rows that are closed", Effect: "panic"}, true},
		{"all", report.Finding{Status: "confirmed", Kind: "atomicity", Effect: "none"}, true},
		{"all", report.Finding{Status: "unconfirmed", Kind: "race"}, false},
		{"none", report.Finding{Status: "confirmed", Kind: "race", Effect: "panic"}, false},
		{"effect", report.Finding{Status: "confirmed", Kind: "race", Effect: "none"}, false},
		{"effect,atomicity", report.Finding{Status: "confirmed", Kind: "atomicity", Effect: "none"}, true},
	} {
		env := ""
		if tt.failOn != "" {
			env = "fail-on=" + tt.failOn
		}
		o, _, err := parseOptions(env, nil)
		require.NoError(t, err)
		assert.Equal(t, tt.want, o.failsRun(&tt.finding), "%s %+v", tt.failOn, tt.finding)
		if tt.failOn == "" {
			assert.Equal(t, tt.finding.Gates(), o.failsRun(&tt.finding), "the report's word differs from the exit code")
		}
	}
}
