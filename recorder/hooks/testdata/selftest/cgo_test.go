//go:build cgo

package selftest

import "testing"

func TestRuntimeCgocall(t *testing.T)       { callC(); <-calls }
func TestRuntimeCgocallbackg1(t *testing.T) { callC(); <-calls }
