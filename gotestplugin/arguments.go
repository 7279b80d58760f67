package gotestplugin

import (
	"flag"
	"runtime/debug"
	"strings"
)

// arguments returns the arguments of gopredict: those of the go test that ran
// this binary, as far as the binary can know them. flags are the parsed flags
// of the binary, settings those that it was built with.
func arguments(flags *flag.FlagSet, settings []debug.BuildSetting) []string {
	args := append([]string{"test"}, buildFlags(settings)...)
	var own []string // flags that the tests themselves define
	flags.Visit(func(f *flag.Flag) {
		value := f.Value.String()
		switch name, isTest := strings.CutPrefix(f.Name, "test."); {
		case isTest:
			args = append(args, testFlag(name, value)...)
		case isOption(f.Name):
			args = append(args, "-"+f.Name+"="+value)
		case f.Name != "predict":
			own = append(own, "-"+f.Name+"="+value)
		}
	})
	if flags.NArg() == 0 {
		args = append(args, ".")
	}
	// What go test left unread, it left in the form in which it was typed.
	args = append(args, flags.Args()...)
	return append(args, own...)
}

// testFlag returns the flag of go test that made it pass -test.name=value, or
// nothing for what go test adds on its own account.
func testFlag(name, value string) []string {
	switch name {
	case "paniconexit0", "testlogfile", "gocoverdir":
		return nil
	case "coverprofile": // a file of go test's own, which merges it
		return nil
	case "timeout":
		if value == "10m0s" { // the default
			return nil
		}
	}
	return []string{"-" + name + "=" + value}
}

// buildFlags returns the build flags among the build's settings. The others
// that were typed leave no mark in the binary; those in GOFLAGS are seen by
// gopredict's own go command anyway.
func buildFlags(settings []debug.BuildSetting) []string {
	var args []string
	for _, s := range settings {
		switch s.Key {
		case "-tags", "-trimpath", "-gcflags", "-ldflags", "-asmflags", "-cover", "-covermode", "-race", "-msan", "-asan":
			args = append(args, s.Key+"="+s.Value)
		}
	}
	return args
}

func buildSettings() []debug.BuildSetting {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Settings
	}
	return nil
}

// isOption reports whether name is that of a -predict.NAME flag.
func isOption(name string) bool { return strings.HasPrefix(name, "predict.") }
