package replayer

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Folder holds the files of replays, of one at a time. Each replay's have names of
// their own: a file system may take long to give what was just removed, or
// emptied, to a new file, and there can be hundreds of replays in a second.
type Folder struct {
	dir    string
	runs   int
	traces []string
}

// NewFolder returns dir, which exists and is not used otherwise, as a folder for
// replays. They do not empty it.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// A files names the files of one replay.
type files struct{ plan, verdict, trace string }

func (f *Folder) next() files {
	f.runs++
	name := func(what string) string { return filepath.Join(f.dir, fmt.Sprintf("%s-%d", what, f.runs)) }
	f.traces = append(f.traces, name("trace"))
	return files{plan: filepath.Join(f.dir, "plan"), verdict: name("verdict"), trace: name("trace")}
}

// smallTrace is the size in bytes up to which a trace may stay until all replays
// are over.
const smallTrace = 1 << 16

// clear removes the traces of the replays so far, where they are worth it.
func (f *Folder) clear() {
	for _, trace := range f.traces {
		if info, err := os.Stat(trace); err == nil && info.Size() > smallTrace {
			_ = os.Remove(trace) // else it goes with the folder
		}
	}
	f.traces = nil
}

// overwrite writes data into a file, in the place of what it has: see [Folder].
func overwrite(name string, data []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}
