// Releases tells whether the hooks fit standard libraries, of releases that gopredict works
// with and of others: the next one, before it comes, or an old one.
//
//	go run ./internal/measure/releases go1.27.4 go1.25.4 ~/sdk/gotip
//
// Each is a toolchain as GOTOOLCHAIN names it, or the folder of a Go tree that has its go
// command. Of each row of the table that does not fit it prints why. It exits with 1 if that is
// so of a release that gopredict works with.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/hooks"
)

func main() {
	script.Main("releases", func(ctx context.Context, args []string) (bool, error) {
		if len(args) == 0 {
			return false, fmt.Errorf("expected toolchains, as go1.27.4, or folders of Go trees, found none")
		}
		good := true
		for _, tree := range args {
			target, err := target(ctx, tree)
			if err != nil {
				return false, err
			}
			rows, misfits := hooks.Misfits(target)
			said := "gopredict works with it"
			if hooks.CheckRelease(target.GOVERSION) != nil {
				said = "gopredict does not work with it"
			} else if len(misfits) > 0 {
				good = false
			}
			fmt.Printf("%s: %d of %d rows fit; %s\n", target.GOVERSION, rows-len(misfits), rows, said)
			for _, m := range misfits {
				fmt.Printf("\t%s\n", strings.Join(strings.Fields(m.Error()), " "))
			}
		}
		return good, nil
	})
}

// target asks the go command of a tree.
func target(ctx context.Context, tree string) (hooks.Target, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION", "GOOS", "GOARCH")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+tree)
	if strings.ContainsRune(filepath.ToSlash(tree), '/') {
		cmd = exec.CommandContext(ctx, filepath.Join(tree, "bin", "go"), cmd.Args[1:]...)
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT=")
	}
	cmd.Dir = os.TempDir() // no module that asks for another release
	out, err := cmd.Output()
	if err != nil {
		return hooks.Target{}, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	f := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(f) != 4 {
		return hooks.Target{}, fmt.Errorf("%s: expected 4 lines, found %q", strings.Join(cmd.Args, " "), out)
	}
	return hooks.Target{GOROOT: f[0], GOVERSION: f[1], GOOS: f[2], GOARCH: f[3]}, nil
}
