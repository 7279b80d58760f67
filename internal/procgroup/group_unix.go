//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Own makes cmd, not yet started, the leader of a process group of its own.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends all processes of cmd's group. The error wraps os.ErrProcessDone if
// there are none any more.
func Kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

// Interrupt asks all processes of cmd's group to end, as Ctrl-C does.
func Interrupt(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGINT) }

// signal sends a signal to all processes of cmd's group.
func signal(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	// On macOS the error of a group that is gone is EPERM.
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) && runtime.GOOS == "darwin" {
		return os.ErrProcessDone
	}
	return err
}
