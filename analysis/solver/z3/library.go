//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package z3

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/ebitengine/purego"
)

// fileNames are what the dynamic linker is asked for, in this order.
var fileNames = map[string][]string{
	"linux":  {"libz3.so", "libz3.so.4"},
	"darwin": {"libz3.dylib", "/opt/homebrew/lib/libz3.dylib", "/usr/local/lib/libz3.dylib"},
}

// oldest is the version that this package is tested with.
var oldestVersion = []uint32{4, 8, 12}

// library is Z3's, loaded once for all of the program.
var library = sync.OnceValues(func() (*api, error) { return load(fileNames[runtime.GOOS]) })

// load loads the first of the named libraries that is there.
func load(names []string) (*api, error) {
	// What was wrong is told to the thread that asked, in a call of its own.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var handle uintptr
	var missing []error
	for _, name := range names {
		var err error
		if handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
		missing = append(missing, err)
	}
	if len(missing) == len(names) {
		return nil, fmt.Errorf("expected Z3's library on this machine, found none (%w): "+
			"install it (Debian, Ubuntu: apt-get install libz3-4; Fedora: dnf install z3-libs; "+
			"macOS: brew install z3), or use the built-in engine", oneLine(missing))
	}
	a := &api{}
	fields := reflect.ValueOf(a).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("c")
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("expected Z3's library with a function %s, as version 4.8.12 has it: "+
				"install that version or a later one: %w", name, err)
		}
		purego.RegisterFunc(fields.Field(i).Addr().Interface(), address)
	}
	return a, a.checkVersion()
}

// oneLine joins errors in one line.
func oneLine(errs []error) error {
	joined := errs[0]
	for _, err := range errs[1:] {
		joined = fmt.Errorf("%w; %w", joined, err)
	}
	return joined
}

// checkVersion returns an error if the library is older than it may be.
func (a *api) checkVersion() error {
	found := make([]uint32, 4)
	a.GetVersion(&found[0], &found[1], &found[2], &found[3])
	if slices.Compare(found, oldestVersion) >= 0 {
		return nil
	}
	return fmt.Errorf("expected Z3 4.8.12 or later, found %d.%d.%d: install a newer one, "+
		"or use the built-in engine", found[0], found[1], found[2])
}
