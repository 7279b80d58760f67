//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
	"github.com/rogpeppe/go-internal/testscript"
)

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
	var library uintptr
	for _, name := range []string{"libz3.so", "libz3.so.4", "libz3.dylib"} {
		if library, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	ts.Check(err)
	var makeConfig func() uintptr
	var makeContext func(config uintptr) uintptr
	var eval func(ctx uintptr, text string) string
	purego.RegisterLibFunc(&makeConfig, library, "Z3_mk_config")
	purego.RegisterLibFunc(&makeContext, library, "Z3_mk_context")
	purego.RegisterLibFunc(&eval, library, "Z3_eval_smtlib2_string")
	for _, file := range files {
		data, err := os.ReadFile(file)
		ts.Check(err)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		answer := strings.TrimPrefix(lines[len(lines)-1], "; ")
		z3, _, _ := strings.Cut(eval(makeContext(makeConfig()), string(data)), "\n")
		if answer != z3 {
			ts.Fatalf("%s: Z3 says %q, found %q behind the query", file, z3, answer)
		}
	}
}
