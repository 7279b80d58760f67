package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cases are of a suite that leaves behind what its names say.
func cases() []*leakCase {
	left := func(text string) *leak { return &leak{text, regexp.MustCompile(regexp.QuoteMeta(text))} }
	return []*leakCase{
		{name: "One", leaks: []*leak{left("One.func1() [chan send]")}},
		{name: "Two", flaky: true, leaks: []*leak{left("Two.func1() [select]"), left("Two.func2() [sync.Cond.Wait]")}},
		{name: "Other"},
	}
}

// A table of parts that were measured one after the other is that of all of them.
func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.json")
	first := &suite{cases: cases()}
	require.NoError(t, first.load(file), "there is none yet")
	first.cases[0].outcomes = []*outcome{{[]string{"One.func1() [send]"}, 10, time.Second}}
	require.NoError(t, first.save(file))

	second := &suite{cases: cases()}
	require.NoError(t, second.load(file))
	assert.Equal(t, first.cases[0].outcomes, second.cases[0].outcomes)
	second.cases[1].outcomes = []*outcome{
		{[]string{"Two.func1() [select]", "Two.func2() [wait]"}, 20, time.Second},
		{[]string{"Two.func2() [wait]"}, 30, 2 * time.Second},
	}
	require.NoError(t, second.save(file))

	third := &suite{cases: cases()}
	require.NoError(t, third.load(file))
	page := third.table()
	assert.Contains(t, page, "\n| One |  | 1 | 1 of 1 | 10 | 1.0 |  |\n| Two | flaky | 2 | 1 of 2 | 30 | 2.0 | Two.func1() [select] (1) |\n")
	assert.Contains(t, page, "1 of 2 cases have all their leaks confirmed, and 2 of 3 leaks")
	assert.Contains(t, page, "\nNot run: Other.\n")
	assert.True(t, third.good(regexp.MustCompile("One")))
	assert.False(t, third.good(regexp.MustCompile("")))
}

func TestRowsOfOtherCases(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.json")
	for text, want := range map[string]string{`{"Gone": []}`: "Gone is no case", "[]": "expected the outcomes of cases"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		assert.ErrorContains(t, (&suite{cases: cases()}).load(file), want)
	}
}
