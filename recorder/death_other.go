//go:build !linux && !freebsd

package recorder

import "os/exec"

// dieWithParent does nothing: only Linux and FreeBSD can end a child with its parent.
func dieWithParent(*exec.Cmd) {}
