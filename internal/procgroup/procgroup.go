// Package procgroup ends commands together with their children: each command
// leads a process group of its own, which signals are sent to. Where there are
// no process groups (outside of Unix) the command alone is ended.
//
// Package recorder runs go test in such a group, and package replayer the test
// binaries.
package procgroup

import "os/exec"

// Own makes cmd, not yet started, the leader of a process group of its own.
func Own(cmd *exec.Cmd) { setGroup(cmd) }

// Kill ends all processes of cmd's group. The error wraps os.ErrProcessDone if
// there are none any more.
func Kill(cmd *exec.Cmd) error { return kill(cmd) }

// Interrupt asks all processes of cmd's group to end, as Ctrl-C does.
func Interrupt(cmd *exec.Cmd) error { return interrupt(cmd) }
