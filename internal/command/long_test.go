//go:build long

package command

import "testing"

// TestLongScripts runs the scripts that build the standard library anew, or many modules or binaries:
// each takes half a minute or more.
func TestLongScripts(t *testing.T) { runScripts(t, "long", nil) }
