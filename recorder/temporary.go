package recorder

import (
	"os"
	"runtime"
)

// ownTemporary makes a folder for the temporary files of one run of a test binary, and returns
// the variables of its environment that say so, and what removes the folder. Random numbers are
// the same in each run: a test that names a file by one would find what an earlier run has left,
// as it does not where it is run plainly. What runs through the user's own command, exec, keeps
// the folder that it has: there may be none of ours where that runs it. The folder is not among
// the command's others, and has a short name: the path of a socket has room for a hundred bytes.
func ownTemporary(exec []string) (env []string, remove func(), err error) {
	if len(exec) > 0 {
		return nil, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gp")
	if err != nil {
		return nil, nil, err
	}
	return TemporaryIn(dir), func() { os.RemoveAll(dir) }, nil
}

// TemporaryIn returns the variables, as NAME=VALUE, that make dir the folder for temporary files, as
// [os.TempDir] has it.
func TemporaryIn(dir string) (env []string) {
	names := []string{"TMPDIR"}
	if runtime.GOOS == "windows" {
		names = []string{"TMP", "TEMP"}
	}
	for _, name := range names {
		env = append(env, name+"="+dir)
	}
	return env
}
