package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(testenv.M{M: m}, map[string]func(){
		"gopredict": func() { os.Exit(Main(os.Args[1:])) },
	})
}

// TestScript runs the scripts of testdata/script: whole commands, as a user
// types them. Beside what package testscript offers, they have
//
//	exit CODE COMMAND ARGS...   run the command; its exit code must be CODE
//	damage FILE                 change one byte in the middle of the file
//
// $ROOT is this repository, and $PROXY the module proxy, which is off
// otherwise; $TESTPROXY serves the modules of testdata/proxy.
func TestScript(t *testing.T) { runScripts(t, "script", nil) }

// A scriptCommand is a word of scripts.
type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

// runScripts runs those of a folder of testdata, which have the words more besides.
func runScripts(t *testing.T, folder string, more map[string]scriptCommand) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache := goEnv(t, "GOCACHE")
	modules := goEnv(t, "GOMODCACHE")
	proxy := goEnv(t, "GOPROXY")
	server, err := goproxytest.NewServer(filepath.Join("testdata", "proxy"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	cmds := map[string]scriptCommand{"exit": scriptExit, "damage": scriptDamage}
	maps.Copy(cmds, more)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", folder),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", cache)
			env.Setenv("GOMODCACHE", modules)
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOPROXY", "off")
			env.Setenv("PROXY", proxy)
			env.Setenv("TESTPROXY", server.URL)
			env.Setenv("GOPREDICT", "timeout=10m")                    // what is found must not depend on how busy the machine is
			env.Setenv("XDG_CACHE_HOME", os.Getenv("XDG_CACHE_HOME")) // what all tests keep there takes half a minute to make
			env.Setenv("ROOT", root)
			return nil
		},
		Cmds:                cmds,
		RequireExplicitExec: true,
	})
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	data := []byte(ts.ReadFile(args[0]))
	if len(data) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	data[len(data)/2] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
	fmt.Fprintf(ts.Stdout(), "damaged %s\n", args[0])
}
