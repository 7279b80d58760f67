// Package gotool runs the go command, and reads its command line the way it
// does: what stands in `go test`'s place must take every flag go test takes,
// tell flags from packages, and know which of them decide what is built.
package gotool
