//go:build long

package command

import "testing"

// TestLongScripts runs the scripts that take longest: they build the standard library anew, or many
// modules or binaries, or explore.
func TestLongScripts(t *testing.T) { runScripts(t, "long", nil) }
