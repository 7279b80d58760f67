//go:build long

package command

import "testing"

// TestLongScripts runs the scripts that build for other toolchains and in many shapes of
// modules: each takes a minute.
func TestLongScripts(t *testing.T) { runScripts(t, "long", nil) }
