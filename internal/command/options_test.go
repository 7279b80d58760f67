package command

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/report"
)

func TestParseOptions(t *testing.T) {
	args := "-v -predict.json r.json ./... --predict.timeout=3s -predict -predict.keep=k -predict.runs=3 -run X -args -predict.json=no"
	o, rest, err := parseOptions("json=env.json witnesses=w", strings.Fields(args))
	require.NoError(t, err)
	assert.Equal(t, options{
		json: "r.json", witnesses: "w", timeout: 3 * time.Second, runs: 3, keep: "k",
		failOn: []string{"race", "channel", "failure", "deadlock", "effect"},
	}, o)
	assert.Equal(t, strings.Fields("-v ./... -run X -args -predict.json=no"), rest)

	_, rest, err = parseOptions("", strings.Fields("p -- -predict.json"))
	require.NoError(t, err)
	assert.Equal(t, strings.Fields("p -- -predict.json"), rest)
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
		assert.Equal(t, tt.want, o.fails(&tt.finding), "%s %+v", tt.failOn, tt.finding)
		if tt.failOn == "" {
			assert.Equal(t, tt.finding.Gates(), o.fails(&tt.finding), "the report's word differs from the exit code")
		}
	}
}
