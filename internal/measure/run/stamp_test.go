package run

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What changes what the code does makes a page stale; comments, formatting and tests do not,
// but for those of subjects, which are what is measured.
func TestStaleStamps(t *testing.T) {
	const first = "package a\n\nfunc F() int { return 1 }\n"
	write := func(root, file, text string) { WriteFile(filepath.Join(root, filepath.FromSlash(file)), text) }
	for _, tt := range []struct {
		name, file, text string
		stale            []string
	}{
		{"nothing", "a/a.go", first, nil},
		{"comments and lines", "a/a.go", "// Package a.\npackage a\n\nfunc F() int {\n\treturn 1 // one\n}\n", nil},
		{"a test", "a/a_test.go", "package a\n", nil},
		{"what tests read", "a/testdata/a.go", "package b\n", nil},
		{"a folder that is not measured", "c/c.go", "package c\n", nil},
		{"a value", "a/a.go", "package a\n\nfunc F() int { return 2 }\n", []string{"a"}},
		{"a file", "a/b/b.go", "package b\n", []string{"a"}},
		{"the test of a subject", "testdata/s/s_test.go", "package s\n", []string{"testdata/s"}},
	} {
		root := t.TempDir()
		write(root, "a/a.go", first)
		write(root, "testdata/s/s.go", "package s\n")
		page := stamped("# Title\n\nText.\n", []string{NewStamp(root, []string{"testdata/s", "a"}).String()})
		write(root, tt.file, tt.text)
		stamps, err := Stamps(page)
		require.NoError(t, err)
		require.Len(t, stamps, 1)
		assert.Equal(t, "unknown", stamps[0].Commit, "no history")
		assert.Equal(t, tt.stale, stamps[0].Stale(root, make(map[string]string)), tt.name)
	}
}

func TestStampsOfPages(t *testing.T) {
	page := stamped("# Title\n\nText.\n", []string{"Measured at commit 1 of 2026-01-02: a 01234567, b/c-d 89abcdef.", "Measured at commit 2: a 00000000."})
	assert.Equal(t, "# Title\n\nMeasured at commit 1 of 2026-01-02: a 01234567, b/c-d 89abcdef.\n\nMeasured at commit 2: a 00000000.\n\nText.\n", page)
	stamps, err := Stamps(page)
	require.NoError(t, err)
	assert.Equal(t, []Stamp{{"1 of 2026-01-02", []MeasuredRoom{{"a", "01234567"}, {"b/c-d", "89abcdef"}}}, {"2", []MeasuredRoom{{"a", "00000000"}}}}, stamps)
	_, err = Stamps("# Title\n\nText.\n")
	assert.ErrorContains(t, err, "found none")
	_, err = Stamps("# Title\n\nMeasured at commit 1: a.\n")
	assert.ErrorContains(t, err, "expected a folder and its digest")
	err = Catch(func() { NewStamp(t.TempDir(), []string{"gone"}) })
	assert.ErrorContains(t, err, "expected Go files of what is measured in gone")
}
