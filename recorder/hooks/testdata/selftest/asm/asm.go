//go:build amd64 || arm64

// Package asm has assembly that uses the frame pointer for something else, as much of what is on
// amd64 does: the register has no other use there.
package asm

// Spoil returns with another frame pointer, which its caller has from then on.
func Spoil(fp uintptr)

// Call calls f with another frame pointer, which is right again when it returns.
func Call(fp uintptr, f func())

// Fault reads address 8 with another frame pointer.
func Fault(fp uintptr)

// Here returns the address of its argument, in the frame of its caller.
func Here(_ uintptr) uintptr

// run is what Call calls.
func run(f func()) { f() }
