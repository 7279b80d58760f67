//go:build z3

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

// TestScriptZ3 runs the scripts that need Z3's library. Beside what those of TestScript
// have, they have
//
//	askz3 FOLDER                Z3 gives each query in the folder the answer that stands there
func TestScriptZ3(t *testing.T) { runScripts(t, "z3", map[string]scriptCommand{"askz3": scriptAskZ3}) }

// scriptAskZ3 gives each query in a folder to Z3 as its own command would read it,
// by none of what package solver has.
func scriptAskZ3(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: askz3 FOLDER")
	}
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.smt2"))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("%s has no queries", args[0])
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		ts.Check(err)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		answer := strings.TrimPrefix(lines[len(lines)-1], "; ")
		ctx, err := z3.NewContext()
		ts.Check(err)
		found, _, _ := strings.Cut(ctx.EvalSMTLIB2String(string(data)), "\n")
		ts.Check(ctx.Err())
		ctx.Close()
		if answer != found {
			ts.Fatalf("%s: Z3 says %q, found %q behind the query", file, found, answer)
		}
	}
}
