//go:build linux || freebsd

package recorder

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes cmd end when this process, or rather the calling thread
// of it, does.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
