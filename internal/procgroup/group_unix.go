//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

func interrupt(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGINT) }

func signal(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) && runtime.GOOS == "darwin" { // which says so of a group that is gone
		return os.ErrProcessDone
	}
	return err
}
