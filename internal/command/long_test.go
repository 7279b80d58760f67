//go:build long

package command

import "testing"

// TestLongScripts runs the scripts that build the standard library anew, or modules of many
// shapes: each takes a minute.
func TestLongScripts(t *testing.T) { runScripts(t, "long", nil) }
