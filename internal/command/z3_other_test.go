//go:build !((linux || darwin) && (amd64 || arm64) && !noz3)

package command

import "github.com/rogpeppe/go-internal/testscript"

func scriptAskZ3(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("askz3: Z3 cannot be loaded in this build")
}
