package replayer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Folder holds the files of replays, of one at a time. They are in memory where
// the system has such files, as there can be hundreds of replays in a second, and a
// file system may take as long to make files as it takes to run the test. Else each
// replay's have names of their own: what was just removed, or emptied, is slow to
// become a new file.
type Folder struct {
	dir         string
	replays     int
	useDir      bool       // all are in dir, for the program may not look into this process
	memoryFiles []*os.File // what is not freed
	traceFiles  []string   // likewise, in dir
}

// NewFolder returns dir, which exists and is not used otherwise, as a folder for
// replays. They do not empty it.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// A files names the files of one replay.
type files struct{ plan, verdict, trace string }

// notBegun is what the verdict of a replay says that has not begun.
const notBegun = "not begun\n"

// next returns the files of the next replay. What is run through another command,
// which may change the user or what there is of /proc, finds none in memory.
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

// temp is the folder for the temporary files of a replayed program. A program
// that is ended at the violation does not remove them itself.
func (f *Folder) tempDir() string { return filepath.Join(f.dir, "tmp") }

// emptyTemp removes what a program has left there.
func (f *Folder) emptyTemp() {
	entries, _ := os.ReadDir(f.tempDir())
	for _, e := range entries {
		os.RemoveAll(filepath.Join(f.tempDir(), e.Name())) // what cannot be removed is in nobody's way
	}
}

// intoDir has all further files made in the folder itself, and reports whether those
// of the last replay were not.
func (f *Folder) switchToDir() bool {
	was := f.useDir
	f.useDir = true
	return !was && len(f.memoryFiles) > 0
}

// keep frees what the replays so far have left but for the trace of that name. f may
// be nil.
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
