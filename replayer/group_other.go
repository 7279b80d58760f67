//go:build !unix

package replayer

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup ends the process of cmd.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
