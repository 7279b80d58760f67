package replayer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Folder holds the files of replays, one replay at a time.
type Folder struct {
	dir     string
	replays int
	names   []string // of files of replays that are not removed yet
}

// NewFolder returns a folder for replays in dir, which exists and has no other use.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// files has the names of the files of one replay.
type files struct{ plan, verdict, trace string }

// notBegun is the content of the verdict file until the replay begins.
const notBegun = "not begun\n"

// nextFiles returns the files of the next replay. Their names are new, as a file that was just
// removed, or emptied, is slow to be created again.
func (f *Folder) nextFiles() (files, error) {
	f.replays++
	name := func(what string) string { return filepath.Join(f.dir, fmt.Sprintf("%s-%d", what, f.replays)) }
	out := files{plan: name("plan"), verdict: name("verdict"), trace: name("trace")}
	f.names = append(f.names, out.plan, out.verdict, out.trace)
	return out, os.WriteFile(out.verdict, []byte(notBegun), 0o600)
}

// tempDir returns the folder for the temporary files of a replayed program. A program that is
// killed at the violation does not remove them itself.
func (f *Folder) tempDir() string { return filepath.Join(f.dir, "tmp") }

// emptyTemp removes the files that a program has left in tempDir.
func (f *Folder) emptyTemp() {
	entries, _ := os.ReadDir(f.tempDir())
	for _, e := range entries {
		os.RemoveAll(filepath.Join(f.tempDir(), e.Name())) // a file that cannot be removed does no harm
	}
}

// removeExcept removes the files of the replays so far, except the trace of that name. f may be nil.
func (f *Folder) removeExcept(trace string) {
	if f == nil {
		return
	}
	f.names = slices.DeleteFunc(f.names, func(name string) bool {
		return name != trace && (os.Remove(name) == nil || !exists(name))
	})
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
