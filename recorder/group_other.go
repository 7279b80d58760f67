//go:build !unix

package recorder

import (
	"os/exec"
	"syscall"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// signalGroup ends the process of cmd.
func signalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }
