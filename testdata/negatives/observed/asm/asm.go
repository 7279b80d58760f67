// Package asm has functions in assembly, which use BP, call Go, and have big frames.
package asm

import "fmt"

//go:noescape
func add(a, b int) int
func usesBP(p *int) int
func calls(n int) int
func callsBP(n int) int
func big(n int) int

//go:noescape
func xadd(p *int64, d int64) int64

var table int
var Shared int

func back(n int) int {
	Shared += n
	if n > 100 {
		panic(fmt.Sprint("back ", n))
	}
	return Shared
}

//go:nosplit
func tiny(a [20]int, i int) int { Shared += a[i]; return Shared }

//go:nosplit
//go:noinline
func tiny2(a [40]int, i int) int { return tiny([20]int{a[i]}, 0) }

//go:noinline
func plain(p **int, q *int) { *p = q }

//go:norace
func norace() int { Shared++; return Shared }

//go:uintptrescapes
func escapes(p uintptr) uintptr { Shared++; return p }
