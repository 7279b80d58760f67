//go:build unix

package testenv

import "syscall"

// umask gives files that tests make the usual rights.
func umask() { syscall.Umask(0o022) }
