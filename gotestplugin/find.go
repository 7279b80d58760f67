package gotestplugin

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is gopredict's import path: of the module and of the command.
const module = "github.com/gopredict/gopredict"

// find returns the path of the gopredict command.
func find() (string, error) {
	// -n builds the tool and prints where it is.
	if path, err := goOutput("tool", "-n", module); err == nil && path != "" {
		return path, nil
	}
	if path, err := exec.LookPath("gopredict"); err == nil {
		return path, nil
	}
	return build()
}

// build builds the command from the sources of the module that this package
// is compiled from, wherever the build list has it: a version in the module
// cache, a folder that replaces it, a module of the workspace, or the main
// module. The binary is kept among the user's cached files, one per folder.
func build() (string, error) {
	dir, err := goOutput("list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module)
	if err == nil && dir == "" {
		err = errors.New("the module is not in the module cache")
	}
	if err != nil {
		return "", fmt.Errorf("no gopredict command, neither as a tool of this module nor in PATH, and none can be built (%w); try go get -tool %s@latest", err, module)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(dir))
	path := filepath.Join(cache, "gopredict", fmt.Sprintf("bin-%x", sum[:6]), "gopredict")
	if _, err := goOutput("build", "-C", dir, "-mod=readonly", "-buildvcs=false", "-o", path, "."); err != nil {
		return "", fmt.Errorf("building gopredict in %s: %w", dir, err)
	}
	return path, nil
}

// goOutput runs the go command and returns what it printed, without the last
// line end.
func goOutput(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if said := strings.TrimSpace(stderr.String()); err != nil && said != "" {
		err = errors.New(said)
	}
	return strings.TrimSpace(string(out)), err
}
