// Package testenv makes the environment of tests that run the go command, test binaries
// or gopredict: what the machine has installed, and what its user has set, decides about
// no test. Such a package has
//
//	func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }
//
// or a TestMain that calls Set before all else.
package testenv

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// M runs the tests of a package in that environment.
type M struct{ *testing.M }

// Run sets the environment of this process and runs the tests. It returns the exit
// code, which is 1 if the environment cannot be made.
func (m M) Run() int {
	dir, err := os.MkdirTemp("", "gopredict-testenv-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = Set(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		return 1
	}
	return m.M.Run()
}

// kept are the variables that stay: where things are, which toolchain is tested, what
// the go command of the tests tells them (go test's own), and those that decide about
// time alone.
var kept = []string{
	"PATH", "TMPDIR", "TMP", "TEMP", "PWD", "SystemRoot", "USERPROFILE", "LocalAppData",
	"GOTOOLCHAIN", "GOROOT", "GOOS", "GOARCH", "GOCOVERDIR", "CGO_ENABLED", "CC", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GOGC", "GORACE",
	"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
}

// asked are those that the go command is asked for, since its own file of settings
// (GOENV) and the home folder, which they may follow from, are others in the tests.
var asked = []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOAUTH"}

// Set makes the environment. The folder dir is for its files, and the home folder. The
// user's cache stays, as builds with other releases depend on where it is.
func Set(dir string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(dir, "cache")
	}
	fixed := map[string]string{
		"HOME": dir, "XDG_CACHE_HOME": cache, "XDG_CONFIG_HOME": filepath.Join(dir, "config"),
		"GOENV": "off", "GOPATH": filepath.Join(dir, "go"), "LC_ALL": "C", "TZ": "UTC",
	}
	cmd := exec.Command("go", append([]string{"env", "-json"}, asked...)...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &fixed); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	path, err := without("gopredict", dir)
	if err != nil {
		return err
	}
	fixed["PATH"] = path
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); name != "" && !slices.Contains(kept, name) {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for name, value := range fixed {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	umask()
	return nil
}

// without returns PATH without the command called name, but for this test binary where
// it stands for it (package testscript). A folder that has it is replaced by one, in
// dir, of links to all else that it has.
func without(name, dir string) (string, error) {
	var self os.FileInfo
	if file, err := os.Executable(); err == nil {
		self, _ = os.Stat(file)
	}
	folders := filepath.SplitList(os.Getenv("PATH"))
	for i, folder := range folders {
		found, err := os.Stat(filepath.Join(folder, name))
		if err != nil || self != nil && os.SameFile(found, self) {
			continue
		}
		shadow := filepath.Join(dir, fmt.Sprint("bin", i))
		entries, err := os.ReadDir(folder)
		if err = errors.Join(err, os.Mkdir(shadow, 0o777)); err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.Name() != name {
				if err := os.Symlink(filepath.Join(folder, e.Name()), filepath.Join(shadow, e.Name())); err != nil {
					return "", err
				}
			}
		}
		folders[i] = shadow
	}
	return strings.Join(folders, string(filepath.ListSeparator)), nil
}
