package replayer

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Folder holds the files of replays, of one at a time. They are in memory where
// the system has such files, as there can be hundreds of replays in a second, and a
// file system may take as long to make files as it takes to run the test. Else each
// replay's have names of their own: what was just removed, or emptied, is slow to
// become a new file.
type Folder struct {
	dir    string
	runs   int
	memory []*os.File // of the replays since clear
	traces []string   // likewise, those in dir
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
func (f *Folder) next(directly bool) (files, error) {
	f.runs++
	name := func(what string) string {
		if directly {
			if file, err := inMemory(); err == nil {
				f.memory = append(f.memory, file)
				return file.Name()
			}
		}
		return filepath.Join(f.dir, fmt.Sprintf("%s-%d", what, f.runs))
	}
	out := files{plan: name("plan"), verdict: name("verdict"), trace: name("trace")}
	f.traces = append(f.traces, out.trace)
	return out, os.WriteFile(out.verdict, []byte(notBegun), 0o600)
}

// smallTrace is the size in bytes up to which a trace may stay until all replays
// are over.
const smallTrace = 1 << 16

// clear removes the traces of the replays so far, where they are worth it.
func (f *Folder) clear() {
	for _, file := range f.memory {
		_ = file.Close() // which frees it
	}
	for _, trace := range f.traces {
		if info, err := os.Stat(trace); err == nil && info.Size() > smallTrace {
			_ = os.Remove(trace) // else it goes with the folder
		}
	}
	f.memory, f.traces = nil, nil
}
