//go:build !unix

package procgroup

import "os/exec"

// Own does nothing, as there are no process groups.
func Own(*exec.Cmd) {}

// Kill ends the process of cmd.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Interrupt ends the process of cmd, as it cannot be asked to end.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
