package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// A suite is the tests of one or more packages.
type suite struct {
	name   string   // that of the module, or the pattern of std packages
	module bool     // or else packages of std
	flags  []string // of go test
}

// std is the suite of std packages that match a pattern.
func std(pattern string, flags ...string) suite { return suite{name: pattern, flags: flags} }

// module is the suite of a module, "path@version".
func module(name string, flags ...string) suite {
	return suite{name: name, module: true, flags: flags}
}

// suites are all suites, the smaller ones first.
var suites = []suite{
	module("go.uber.org/atomic@latest"),
	module("go.uber.org/zap@latest"),
	module("github.com/panjf2000/ants/v2@latest"),
	module("github.com/hashicorp/golang-lru/v2@latest"),
	module("github.com/jackc/puddle/v2@latest"),
	module("github.com/puzpuzpuz/xsync/v4@latest"),
	module("github.com/gorilla/websocket@latest"),
	module("github.com/robfig/cron/v3@latest"),
	module("github.com/google/btree@latest"),
	module("golang.org/x/time@latest"),
	module("go.etcd.io/bbolt@latest", "-timeout=30m"), // as its Makefile has it
	module("github.com/spf13/viper@latest"),
	module("golang.org/x/sync@latest"),
	module("github.com/patrickmn/go-cache@latest"),
	module("github.com/sourcegraph/conc@latest"),
	module("github.com/gammazero/workerpool@latest"),
	module("github.com/alitto/pond/v2@latest"),
	module("github.com/bluele/gcache@latest"),
	module("github.com/eapache/channels@latest"),
	module("github.com/golang/groupcache@latest"),
	module("github.com/hashicorp/memberlist@v0.2.2"),
	module("github.com/hashicorp/yamux@v0.1.1"),
	module("github.com/oklog/run@latest"),
	module("github.com/sasha-s/go-deadlock@v0.3.9"),
	module("github.com/ThreeDotsLabs/watermill@v1.5.1"),
	module("go.uber.org/goleak@latest"),

	std("bufio"),
	std("bytes"),
	std("container/..."),
	std("context"),
	std("database/sql"),
	std("encoding/json"),
	std("encoding/gob"),
	std("errors"),
	std("expvar"),
	std("fmt"),
	std("io/..."),
	std("iter"),
	std("log/..."),
	std("maps"),
	std("math/rand/..."),
	std("net/http", "-short"),
	std("net/http/httptest"),
	std("net/http/httputil"),
	std("net/rpc/..."),
	std("os/exec"),
	std("regexp"),
	std("slices"),
	std("sort"),
	std("strings"),
	std("sync/..."),
	std("testing/synctest"),
	std("text/template"),
	std("time", "-short"),
}

// A checkout is where a suite can be run.
type checkout struct {
	dir      string
	version  string // of the module, or of Go
	packages string // the pattern for go test
	// instrument is the value of -predict.pkgs; "" for its default, which is
	// the module itself.
	instrument string
}

// prepare makes a folder below work where go test finds the suite.
func (s suite) prepare(ctx context.Context, work string) (checkout, error) {
	dir, err := os.MkdirTemp(work, "suite-")
	if err != nil {
		return checkout{}, err
	}
	if s.module {
		dir = filepath.Join(dir, "module")
		version, err := script.Download(ctx, s.name, dir)
		return checkout{dir: dir, version: version, packages: "./..."}, err
	}
	version, err := goCommand(ctx, dir, "env", "GOVERSION")
	if err != nil {
		return checkout{}, err
	}
	p := checkout{dir: dir, version: strings.TrimSpace(version), packages: s.name, instrument: s.name}
	return p, script.WriteMod(dir, "outcomes")
}

// goCommand runs the go command in dir and returns its standard output.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out), nil
}
