package gotool

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTest(t *testing.T) {
	tests := []struct {
		args  string
		flags string
		pkgs  string
		rest  string
	}{
		{args: ""},
		{args: "./...", pkgs: "./..."},
		{args: "-v ./a ./b -run X", flags: "-v -run=X", pkgs: "./a ./b"},
		{args: "-run X -tags=a,b .", flags: "-run=X -tags=a,b", pkgs: "."},
		{args: "--count 3 --race=false", flags: "-count=3 -race=false"},
		{args: "-test.v -test.run=X p", flags: "-v -run=X", pkgs: "p"},
		{args: ". -args -v x", pkgs: ".", rest: "-v x"},
		{args: ". -- -v x", pkgs: ".", rest: "-- -v x"},
		// From the first unknown flag on, words are not packages.
		{args: "-custom ./x -v", flags: "-v", rest: "-custom ./x"},
		{args: "p -custom=1 y -v", pkgs: "p", rest: "-custom=1 y -v"},
		{args: "p -v y -short", flags: "-v", pkgs: "p", rest: "y -short"},
		{args: "-test.overlay p", rest: "-test.overlay p"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			got, err := ParseTest(strings.Fields(tt.args))
			require.NoError(t, err)
			var flags []string
			for _, f := range got.Flags {
				flags = append(flags, f.String())
			}
			assert.Equal(t, tt.flags, strings.Join(flags, " "))
			assert.Equal(t, tt.pkgs, strings.Join(got.Packages, " "))
			assert.Equal(t, tt.rest, strings.Join(got.BinaryArgs, " "))

			// Put together and taken apart again it is the same command line.
			again, err := ParseTest(got.Args())
			require.NoError(t, err)
			assert.Equal(t, got, again)
		})
	}
}

func TestParseTestErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-run":      "flag needs an argument: -run",
		"-v -C dir": "-C flag must be first flag on command line",
	} {
		_, err := ParseTest(strings.Fields(args))
		assert.EqualError(t, err, want)
	}
	got, err := ParseTest([]string{"-C", "dir", "-v"})
	require.NoError(t, err)
	assert.Equal(t, "dir", got.ChangeDir)
}

func TestFlagGroups(t *testing.T) {
	got, err := ParseTest(strings.Fields("-tags=x -trimpath -coverprofile=c.out -run X -o bin -p 2 ./..."))
	require.NoError(t, err)
	assert.Equal(t, []string{"-tags=x", "-trimpath"}, got.LoadFlags())
	assert.True(t, got.AsksForCoverage())
	assert.Equal(t, strings.Fields("-tags=x -trimpath -run=X -p=2 ./..."), got.WithoutCoverage().Args())
	assert.False(t, got.WithoutCoverage().AsksForCoverage())
	assert.Equal(t, strings.Fields("-tags=x -trimpath -coverprofile=c.out -run=X -o=bin -p=2 -vet=off ./..."), got.Args("-vet=off"))
	assert.Equal(t, strings.Fields("-tags=x -trimpath -coverprofile=c.out -p=2 ./..."), got.Without("run", "o").Args())
}

func TestLookup(t *testing.T) {
	got, err := ParseTest(strings.Fields("-race -run A -run B -v=false -json"))
	require.NoError(t, err)
	run, ok := got.Lookup("run")
	assert.True(t, ok)
	assert.Equal(t, "B", run)
	assert.True(t, got.IsSet("json"))
	assert.False(t, got.IsSet("v"))
	assert.False(t, got.IsSet("cover"))
}

func TestWords(t *testing.T) {
	for _, words := range [][]string{
		nil,
		{"a"},
		{"/path with space/x", "__exec", "it's", `say "x"`, ""},
	} {
		s, err := JoinWords(words)
		require.NoError(t, err)
		got, err := SplitWords(s)
		require.NoError(t, err)
		assert.Equal(t, words, got)
	}
	_, err := JoinWords([]string{`'"`})
	assert.ErrorContains(t, err, "cannot be quoted")
	_, err = SplitWords(`a 'b`)
	assert.ErrorContains(t, err, "unterminated '")
}
