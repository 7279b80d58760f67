package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// profile stands in for the runtime's own detector: the suite asks for its profile at
// the end of each function.
const profile = `package main

import "io"

type profile struct{}

func (profile) WriteTo(io.Writer, int) error { return nil }
`

// ownProfile replaces what asks for the runtime's profile, on the same line.
var ownProfile = strings.NewReplacer(
	`"runtime/pprof"`, ``,
	`pprof.Lookup("goroutineleak")`, `profile{}`,
)

// A suite is a copy of the cases, a module of its own.
type suite struct {
	dir   string
	tool  string // gopredict's binary
	cases []*leakCase
}

// release finds the language version in what go env calls GOVERSION.
var release = regexp.MustCompile(`\d+\.\d+`)

// copy reads the cases of the go command's GOROOT, and copies their packages, with a test
// for each, which calls its function.
func (s *suite) copy(ctx context.Context) error {
	env, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	if s.cases, err = readCases(goroot); err != nil {
		return err
	}
	for _, set := range sets {
		if err := s.copySet(filepath.Join(goroot, "src/runtime/testdata", set.dir), set.name); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte("module leaks\n\ngo "+release.FindString(version)+"\n"), 0o666)
}

// copySet copies the package in the folder from.
func (s *suite) copySet(from, name string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no files in %s; this needs a complete GOROOT of Go 1.26 or newer", from)
	}
	to := filepath.Join(s.dir, name)
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	texts := map[string]string{"profile.go": profile}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts[filepath.Base(file)] = ownProfile.Replace(string(text))
	}
	tests := "package main\n\nimport \"testing\"\n"
	for _, c := range s.cases {
		if c.set == name {
			tests += fmt.Sprintf("\nfunc Test%s(t *testing.T) { %[1]s() }\n", c.name)
		}
	}
	texts["leaks_test.go"] = tests
	for base, text := range texts {
		if err := os.WriteFile(filepath.Join(to, base), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
