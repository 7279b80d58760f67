package recorder

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
)

const vetOutput = `{}
{
	"example.com/m": {
		"printf": [{"posn": "/m/a_test.go:6:40", "end": "/m/a_test.go:6:44", "message": "bad verb"}]
	}
}
{
	"example.com/m/sub_test [example.com/m/sub.test]": {
		"tests": [{"posn": "/m/sub/x_test.go:4:1", "message": "two"}],
		"atomic": [{"posn": "/m/sub/x_test.go:3:1", "message": "one"}]
	}
}
{
	"example.com/m/broken": {
		"printf": [{"posn": "/m/broken/b.go:3:9", "message": "three"}]
	}
}
`

func TestVetRejectsReportedPackages(t *testing.T) {
	reports, err := parseVet(strings.NewReader(vetOutput), "/m")
	require.NoError(t, err)
	got := vetResult{reports: reports}.rejected([]Package{
		{Path: "example.com/m"}, {Path: "example.com/m/sub"}, {Path: "example.com/m/fine"},
		{Path: "example.com/m/broken", Broken: true},
	})
	require.Len(t, got, 2)
	assert.Equal(t, "# example.com/m\n# [example.com/m]\n./a_test.go:6:40: bad verb\n", got["example.com/m"][0].Text)
	assert.Equal(t, "# example.com/m/sub_test\n# [example.com/m/sub_test]\nsub/x_test.go:3:1: one\nsub/x_test.go:4:1: two\n", got["example.com/m/sub"][0].Text)

	_, err = parseVet(strings.NewReader("{} nonsense"), "/m")
	assert.Error(t, err)
}

func TestPrintVet(t *testing.T) {
	reports := []vetReport{{"p", "# p\n./a.go:1: bad\n"}}
	var stdout, stderr bytes.Buffer
	c := &Config{Stdout: &stdout, Stderr: &stderr}
	c.printVet("p", reports)
	assert.Equal(t, "FAIL\tp [build failed]\n", stdout.String())
	assert.Equal(t, "# p\n./a.go:1: bad\n", stderr.String())

	stdout.Reset()
	stderr.Reset()
	c.Args.Flags = []gotool.Flag{{Name: "json"}}
	c.printVet("p", reports)
	assert.Equal(t, `{"ImportPath":"p [p.test]","Action":"build-output","Output":"# p\n"}
{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:1: bad\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p [p.test]"}
`, stdout.String())
	assert.Empty(t, stderr.String())
}

// What is vetted is compiled as it was loaded, once for both; the standard library itself is
// vetted as it is.
func TestVetOverlay(t *testing.T) {
	c := &Config{Env: gotool.Env{GOROOT: filepath.FromSlash("/go")}}
	own, std := Package{Dir: filepath.FromSlash("/m")}, Package{Dir: filepath.FromSlash("/go/src/sort")}
	assert.Equal(t, "std.json", c.vetOverlay([]Package{own}, "std.json"))
	assert.Empty(t, c.vetOverlay([]Package{own, std}, "std.json"))
}
