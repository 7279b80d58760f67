// Package recorder builds the user's packages with instrumentation and runs
// their tests once under `go test`, so that each test binary leaves a trace.
//
// It is the first room of the flow: its traces go to package analysis, the test
// binaries that it saves are what package replayer runs again.
//
// The build is an ordinary `go test` of the stock toolchain with one overlay,
// which joins the user's own rewritten files (package rewrite), patched copies
// of a few files of the standard library (package hooks), and the run-time
// library predictrt. Nothing is written outside of [Config.Work]: not
// into the module, and not beside it. The go command's build cache goes by
// the content of a file, not by where an overlay keeps it, so that a folder
// that is new for each run costs no recompilation.
//
// The tests run as `go test` runs them, except that go test's -exec flag makes
// it start each binary through [RunShim], which saves the binary, and says where
// to write the trace. Standard output is thus go test's own. A saved binary can be
// recorded again, in another order of goroutines and with nothing printed:
// [Run.RecordAgain].
package recorder
