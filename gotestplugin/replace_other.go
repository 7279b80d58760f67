//go:build !unix

package gotestplugin

import (
	"errors"
	"os"
	"os/exec"
)

// replace runs the command and exits with its code. It returns only on
// failure.
func replace(path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err == nil || errors.As(err, &failed) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
