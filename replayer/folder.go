package replayer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Folder holds the files of replays, one replay at a time. They are in memory where the system
// has such files: there can be hundreds of replays in a second, and a file system may need as long
// to create files as the test to run. Otherwise the files of each replay have new names, as a file
// that was just removed, or emptied, is slow to be created again.
type Folder struct {
	dir         string
	replays     int
	useDir      bool       // all files are in dir, because the program may not open files in memory
	memoryFiles []*os.File // those not freed yet
	traceFiles  []string   // those in dir that are not freed yet
}

// NewFolder returns a folder for replays in dir, which exists and has no other use. Replays do not
// empty it.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// files has the names of the files of one replay.
type files struct{ plan, verdict, trace string }

// notBegun is the content of the verdict file until the replay begins.
const notBegun = "not begun\n"

// nextFiles returns the files of the next replay. They are not in memory if the program is not run
// directly but by another command, which may change the user or hide /proc.
func (f *Folder) nextFiles(directly bool) (files, error) {
	f.replays++
	name := func(what string) string {
		if directly && !f.useDir {
			if file, err := inMemory(); err == nil {
				f.memoryFiles = append(f.memoryFiles, file)
				return file.Name()
			}
		}
		return filepath.Join(f.dir, fmt.Sprintf("%s-%d", what, f.replays))
	}
	out := files{plan: name("plan"), verdict: name("verdict"), trace: name("trace")}
	if filepath.Dir(out.trace) == f.dir {
		f.traceFiles = append(f.traceFiles, out.trace)
	}
	return out, os.WriteFile(out.verdict, []byte(notBegun), 0o600)
}

// tempDir returns the folder for the temporary files of a replayed program. A program that is
// killed at the violation does not remove them itself.
func (f *Folder) tempDir() string { return filepath.Join(f.dir, "tmp") }

// emptyTemp removes the files that a program has left in tempDir.
func (f *Folder) emptyTemp() {
	entries, _ := os.ReadDir(f.tempDir())
	for _, e := range entries {
		os.RemoveAll(filepath.Join(f.tempDir(), e.Name())) // what cannot be removed is in nobody's way
	}
}

// switchToDir makes all further files be in dir, and reports whether those of the last replay were
// in memory.
func (f *Folder) switchToDir() bool {
	was := f.useDir
	f.useDir = true
	return !was && len(f.memoryFiles) > 0
}

// freeExcept frees the files of the replays so far, except the trace of that name. f may be nil.
func (f *Folder) freeExcept(trace string) {
	if f == nil {
		return
	}
	f.memoryFiles = slices.DeleteFunc(f.memoryFiles, func(file *os.File) bool {
		return file.Name() != trace && file.Close() == nil
	})
	f.traceFiles = slices.DeleteFunc(f.traceFiles, func(name string) bool {
		info, err := os.Stat(name)
		return name != trace && (err != nil || info.Size() <= smallTrace || os.Remove(name) == nil)
	})
}
