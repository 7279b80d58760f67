// Package procgroup ends commands together with their children: each command
// leads a process group of its own, which signals are sent to. Where there are
// no process groups (outside of Unix) the command alone is ended.
//
// Package recorder runs go test in such a group, and package replayer the test
// binaries.
package procgroup
