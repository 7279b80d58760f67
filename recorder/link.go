package recorder

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/cache"

	"github.com/gopredict/gopredict/internal/gotool"
)

// The go command caches what it compiles, but links the tests anew each time, which is most of a
// build in which nothing has changed. So it runs its tools through [RunTool], which keeps the newest
// binary of each test. The identifier that the go command gives a binary covers all that it is linked from.

// toolexecFlags returns go test's flag that makes it run its tools through [RunTool]. There is
// none if the user has given it, or if the binary may depend on libraries that its identifier does
// not cover.
func (b *Build) toolexecFlags() ([]string, error) {
	c := b.conf
	for _, name := range []string{"toolexec", "ldflags"} {
		if _, given := c.flag(name); given {
			return nil, nil
		}
	}
	if len(c.ToolCommand) == 0 || !b.inputsKnown {
		return nil, nil
	}
	command, err := gotool.JoinWords(append(slices.Clone(c.ToolCommand), filepath.Join(c.cacheDir(), "linked")))
	return []string{"-toolexec=" + command}, err
}

// RunTool runs a tool of the go command: args are the tool and its arguments. It instruments the
// packages of other modules that are compiled with a mark, see [Config.moduleFlags]. It takes a binary
// that was linked of the same before from dir, and keeps other binaries there for the next time.
// It makes that folder if need be. It returns the tool's exit code.
func RunTool(dir string, args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "gopredict: found no tool to run, expected that of the go command")
		return 3
	}
	if c := compilationOf(args); c.marked && c.run() {
		return 0
	}
	l := linkingOf(args)
	if l.output != "" && l.restore(dir) == nil {
		return 0
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(failed.ExitCode(), 1)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "gopredict: %v\n", err)
		return 3
	}
	if l.output != "" {
		l.store(dir)
	}
	return 0
}

// A linking is one call of the linker: of the binary output. Key depends on all that it is linked
// from. Place depends on the tested package and on the flags of the linker. All copies of a module
// share a place, so there are no more binaries than packages.
type linking struct {
	output     string
	key, place cache.ActionID
}

// linkingOf returns the linking that args describe. It has no output if they are of another tool,
// or do not say what is linked.
func linkingOf(args []string) (l linking) {
	if name := filepath.Base(args[0]); strings.TrimSuffix(name, ".exe") != "link" {
		return linking{}
	}
	place, id := sha256.New(), ""
	fmt.Fprintf(place, "%q\n", os.Getenv("TOOLEXEC_IMPORTPATH"))
	flags := args[:len(args)-1] // the last one is the file of package main, in a temporary folder
	for i := 0; i < len(flags); i++ {
		of, is := strings.CutPrefix(flags[i], "-buildid=")
		switch {
		case is:
			id = of
		case i+1 < len(flags) && slices.Contains([]string{"-o", "-importcfg", "-fipso"}, flags[i]): // files in the temporary folder, too
			if flags[i] == "-o" {
				l.output = flags[i+1]
			}
			i++
		default:
			fmt.Fprintf(place, "%q\n", flags[i])
		}
	}
	if id == "" {
		return linking{}
	}
	place.Sum(l.place[:0])
	l.key = sha256.Sum256(fmt.Appendf(l.place[:], "%q", id))
	return l
}

// restore writes the output from the cache in dir.
func (l linking) restore(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	store, err := cache.Open(dir)
	if err != nil {
		return err
	}
	binary, _, err := store.GetBytes(l.key)
	if err != nil {
		return err
	}
	return os.WriteFile(l.output, binary, 0o777)
}

// store stores the output, and removes the one that was linked at its place before. Errors only
// cost the next command time.
func (l linking) store(dir string) {
	binary, err := os.ReadFile(l.output)
	if err != nil || os.MkdirAll(dir, 0o777) != nil {
		return
	}
	store, err := cache.Open(dir)
	if err != nil {
		return
	}
	if before, _, err := store.GetBytes(l.place); err == nil && len(before) == len(l.key) && !bytes.Equal(before, l.key[:]) {
		if file, _, err := store.GetFile(cache.ActionID(before)); err == nil {
			os.Remove(file)
		}
	}
	if store.PutBytes(l.key, binary) == nil && store.PutBytes(l.place, l.key[:]) == nil {
		store.Trim()
	}
}
