package gotool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/procgroup"
)

// Env is what the go command says about itself in one directory; GOTOOLCHAIN
// and the go line of the module there may have chosen another version than
// the one in PATH.
type Env struct {
	GOROOT       string
	GOVERSION    string // "go1.26.8"
	GOMOD        string // the main module's go.mod; "" or os.DevNull outside of modules
	GOWORK       string // the go.work in use; "" if none, "off" if turned off
	GOFLAGS      string
	GOOS         string // that programs are built for
	GOARCH       string
	GOEXPERIMENT string
	CGO_ENABLED  string // "0" or "1"
	GOFIPS140    string // whose cryptography they use: "off" and "latest" are GOROOT's, others lie in the module cache
	GOCACHE      string // the build cache
	GOMODCACHE   string
	// ModCacheAlias is the other name of GOMODCACHE, if [Env.LinkModCache] has made one.
	ModCacheAlias string `json:"-"`
	// TestVariables are variables that tests must not see as this process has them,
	// for [WithVariables].
	TestVariables []string `json:"-"`
}

// ReadEnv asks the go command in dir for its environment.
func ReadEnv(ctx context.Context, dir string) (Env, error) {
	var e Env
	out, err := Output(ctx, dir, "env", "-json", "GOROOT", "GOVERSION", "GOMOD", "GOWORK", "GOFLAGS", "GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED", "GOFIPS140", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(out, &e); err != nil {
		return e, fmt.Errorf("go env -json: %v", err)
	}
	if e.GOROOT == "" || e.GOVERSION == "" {
		return e, errors.New("go env names no GOROOT and GOVERSION: is the go command in PATH complete?")
	}
	return e, nil
}

// InModule reports whether the directory is part of a module or a workspace.
func (e Env) InModule() bool {
	return e.InWorkspace() || e.GOMOD != "" && e.GOMOD != os.DevNull
}

// InWorkspace reports whether a go.work file is in use.
func (e Env) InWorkspace() bool { return e.GOWORK != "" && e.GOWORK != "off" }

// Root returns the folder that files are named relative to: that of the
// go.work in use, else of go.mod. It must be InModule.
func (e Env) Root() string {
	if e.InWorkspace() {
		return filepath.Dir(e.GOWORK)
	}
	return filepath.Dir(e.GOMOD)
}

// CrossExec returns the command in PATH that the go command runs programs for another
// system than this one through, go_GOOS_GOARCH_exec, as "go help run" says; nil if there
// is none, and for this system.
func (e Env) CrossExec() []string {
	if e.GOOS == runtime.GOOS && e.GOARCH == runtime.GOARCH {
		return nil
	}
	path, err := exec.LookPath("go_" + e.GOOS + "_" + e.GOARCH + "_exec")
	if err != nil {
		return nil
	}
	return []string{path}
}

// Command returns the go command with args, to be run in dir, without stdio.
// PWD is set, as the go command prints paths by it. When ctx ends, it is interrupted as by Ctrl-C,
// so that it removes its temporary files, and killed if that does not help.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	procgroup.Own(cmd)
	cmd.Cancel = func() error { return procgroup.Interrupt(cmd) }
	cmd.WaitDelay = endGrace
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir)
	return cmd
}

// endGrace is how long a go command may take to end after it was asked to.
const endGrace = 5 * time.Second

// Output runs the go command and returns what it printed. The error of a run
// that failed is what it said on standard error, or its exit status.
func Output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return OutputOf(ctx, Command(ctx, dir, args...))
}

// OutputOf is Output for a command that [Command] has returned for ctx.
func OutputOf(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if said := strings.TrimSpace(stderr.String()); said != "" {
		return out, errors.New(said)
	}
	return out, fmt.Errorf("%s: %w", strings.Join(cmd.Args[:2], " "), err)
}
