// Command gopredict finds concurrency bugs of Go programs that other
// interleavings than the tested one would hit, and confirms them by re-running
// the tests so that they happen. See `gopredict help`.
package main

import (
	"os"

	"github.com/gopredict/gopredict/internal/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
