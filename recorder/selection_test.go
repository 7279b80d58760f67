package recorder

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/internal/gotool"
)

func TestSelected(t *testing.T) {
	main := &packages.Module{Path: "example.com/m", Main: true}
	other := &packages.Module{Path: "example.net/o"}
	pkgs := map[string]*packages.Package{
		"main":     {PkgPath: "example.com/m", GoFiles: []string{"/m/m.go"}, Module: main},
		"below":    {PkgPath: "example.com/m/sub", GoFiles: []string{"/m/sub/s.go"}, Module: main},
		"external": {PkgPath: "example.com/m/sub_test", ForTest: "example.com/m/sub", GoFiles: []string{"/m/sub/s_test.go"}, Module: main},
		"other":    {PkgPath: "example.net/o", GoFiles: []string{"/modules/example.net/o@v1/o.go"}, Module: other},
		"files":    {PkgPath: "command-line-arguments", GoFiles: []string{"/m/m.go"}},
		"std":      {PkgPath: "net/http", GoFiles: []string{"/go/src/net/http/server.go"}},
		"sync":     {PkgPath: "sync", GoFiles: []string{"/go/src/sync/mutex.go"}},
		"base":     {PkgPath: "math/bits", GoFiles: []string{"/go/src/math/bits/bits.go"}},
		"snapshot": {PkgPath: "crypto/internal/fips140/v1.0.0/aes", GoFiles: []string{"/modules/golang.org/fips140@v1.0.0/fips140/v1.0.0/aes/aes.go"}},
		"userSync": {PkgPath: "sync/x", GoFiles: []string{"/m/sync/x.go"}, Module: main},
	}
	tests := []struct {
		instrument []string
		want       string
	}{
		{nil, "main below external files userSync"},
		{[]string{"work"}, "main below external files userSync"},
		{[]string{"all"}, "main below external other files std userSync"},
		{[]string{"std"}, "std"},
		{[]string{"sync", "math/..."}, ""},
		{[]string{"net/..."}, "std"},
		{[]string{"crypto/..."}, ""},
		{[]string{"example.net/o"}, "other"},
		{[]string{"example.com/m"}, "main"},
		{[]string{"example.com/m/..."}, "main below external"},
		{[]string{"example.com/m/sub"}, "below external"},
		{[]string{"example..."}, "main below external other"},
		{[]string{"."}, "below external"},
		{[]string{"./..."}, "below external"},
		{[]string{".."}, "main files"},
		{[]string{"../...", "std"}, "main below external files std userSync"},
		{[]string{"/m/sync"}, "userSync"},
		{[]string{"nosuch"}, ""},
	}
	for _, tt := range tests {
		c := &Config{
			Dir: "/m/sub", Env: gotool.Env{GOROOT: "/go", GOMODCACHE: "/modules"}, InstrumentPatterns: tt.instrument,
			runtimeImports: map[string]bool{"math/bits": true},
		}
		got := ""
		for _, name := range []string{"main", "below", "external", "other", "files", "std", "sync", "base", "snapshot", "userSync"} {
			if c.selected(pkgs[name]) {
				if got != "" {
					got += " "
				}
				got += name
			}
		}
		assert.Equal(t, tt.want, got, "%q", tt.instrument)
	}
}

// TestAddOwn: patterns that are about other packages only leave out none of the
// module's own.
func TestAddOwn(t *testing.T) {
	all := []*packages.Package{
		{PkgPath: "example.com/m", GoFiles: []string{"/m/m.go"}, Module: &packages.Module{Main: true}},
		{PkgPath: "example.com/m/sub", GoFiles: []string{"/m/sub/s.go"}, Module: &packages.Module{Main: true}},
		{PkgPath: "net/http", GoFiles: []string{"/go/src/net/http/server.go"}},
	}
	for pattern, want := range map[string][]string{
		"": nil, "std": {"work", "std"}, "net/...": {"work", "net/..."}, "all": {"all"},
		"work": {"work"}, "./sub": {"./sub"}, "example.com/m/sub": {"example.com/m/sub"},
	} {
		c := &Config{Dir: "/m", Env: gotool.Env{GOROOT: "/go"}}
		if pattern != "" {
			c.InstrumentPatterns = []string{pattern}
		}
		c.addOwn(all)
		assert.Equal(t, want, c.InstrumentPatterns, "%q", pattern)
	}
}
