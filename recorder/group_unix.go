//go:build unix

package recorder

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group of its own: go test does
// not hand signals on to the tests, so all are to be signalled together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends s to all processes of cmd's group.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) error {
	return syscall.Kill(-cmd.Process.Pid, s)
}
