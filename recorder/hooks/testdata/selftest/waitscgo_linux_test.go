//go:build cgo

package selftest

import "time"

func init() { further["C"] = func(d time.Duration) { sleepInC(d.Microseconds()) } }
