//go:build unix

package gotestplugin

import (
	"os"
	"syscall"
)

// replace runs the command in the place of this process, so that go test's
// signals, streams and exit code are the command's. It returns only on failure.
func replace(path string, args []string) error {
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
	return &os.PathError{Op: "exec", Path: path, Err: err}
}
