package gotestplugin

import (
	"flag"
	"runtime/debug"
	"strings"
	"testing"
)

// testFlags is a set like that of a test binary whose tests define -update.
func testFlags() *flag.FlagSet {
	fs := flag.NewFlagSet("x.test", flag.ContinueOnError)
	for _, name := range []string{"test.paniconexit0", "test.v", "predict", "update"} {
		fs.Bool(name, false, "")
	}
	for _, name := range []string{"test.run", "test.timeout", "test.gocoverdir", "test.testlogfile", "test.coverprofile", "predict.json", "predict.keep"} {
		fs.String(name, "", "")
	}
	return fs
}

func TestArguments(t *testing.T) {
	tests := []struct{ argv, want string }{
		{"-test.paniconexit0 -test.timeout=10m0s -predict", "test ."},
		{"-test.paniconexit0 -test.timeout=10m0s -predict ./...", "test ./..."},
		{"-test.paniconexit0 -test.timeout=30s -test.v=true -test.run=X -predict ./a ./b -run Y", "test -run=X -timeout=30s -v=true ./a ./b -run Y"},
		{"-test.testlogfile=/tmp/x -test.gocoverdir=/tmp -test.coverprofile=/tmp/c -predict .", "test ."},
		{"-predict -predict.json=r.json -predict.keep out -update ./...", "test -predict.json=r.json -predict.keep=out ./... -update=true"},
	}
	for _, tt := range tests {
		fs := testFlags()
		if err := fs.Parse(strings.Fields(tt.argv)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(arguments(fs, nil), " "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.argv, got, tt.want)
		}
	}
}

func TestArgumentsFromJSONRun(t *testing.T) {
	fs := flag.NewFlagSet("x.test", flag.ContinueOnError)
	fs.String("test.v", "", "")
	if err := fs.Parse([]string{"-test.v=test2json"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(arguments(fs, nil), " "); got != "test -v=test2json ." {
		t.Errorf("got %s", got)
	}
}

func TestArgumentsFromBuild(t *testing.T) {
	settings := []debug.BuildSetting{
		{Key: "-compiler", Value: "gc"}, {Key: "-tags", Value: "a,b"}, {Key: "-cover", Value: "true"}, {Key: "GOOS", Value: "linux"},
	}
	if got := strings.Join(arguments(testFlags(), settings), " "); got != "test -tags=a,b -cover=true ." {
		t.Errorf("got %s", got)
	}
}
