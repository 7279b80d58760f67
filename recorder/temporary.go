package recorder

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ownTemporary makes a folder for the temporary files of one run of the test binary of a package, whose folder is pkg,
// and returns the variables of its environment that say so, and what removes the folder. Random numbers are
// the same in each run: a test that names a file by one would find what an earlier run has left,
// as it does not where it is run plainly. What runs through the user's own command, exec, keeps
// the folder that it has: there may be none of ours where that runs it. The folder is not among
// the command's others, and has a short name: the path of a socket has room for a hundred bytes. It has
// the same one in each run, unless several are at once: what tests do may follow from it, and a go command that they run
// there finds what it has built before.
func newTempDir(exec []string, pkg string) (env []string, remove func(), err error) {
	if len(exec) > 0 {
		return nil, func() {}, nil
	}
	h := fnv.New32a()
	h.Write([]byte(pkg))
	name := filepath.Join(os.TempDir(), fmt.Sprintf("gp%x", h.Sum32()))
	dir := name
	for n := 1; n < maxTemporary; n++ {
		if err = os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
		dir = fmt.Sprint(name, "-", n)
	}
	if errors.Is(err, fs.ErrExist) {
		dir, err = os.MkdirTemp("", "gp")
	}
	if err != nil {
		return nil, nil, err
	}
	return TempDirVariables(dir), func() { os.RemoveAll(dir) }, nil
}

// TemporaryIn returns the variables, as NAME=VALUE, that make dir the folder for temporary files, as
// [os.TempDir] has it.
func TempDirVariables(dir string) (env []string) {
	names := []string{"TMPDIR"}
	if runtime.GOOS == "windows" {
		names = []string{"TMP", "TEMP"}
	}
	for _, name := range names {
		env = append(env, name+"="+dir)
	}
	return env
}
