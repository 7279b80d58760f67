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

// newTempDir makes a folder for the temporary files of one run of the test binary of a package,
// whose folder is pkg. It returns the environment variables that name it, and a function that
// removes it. Random numbers are the same in each run, so a test that names a file by one would
// otherwise find that of an earlier run, unlike in plain runs.
//
// The folder has the same name in each run, unless several are at once: the behaviour of tests may
// depend on it, and a go command that they run there finds what it has built before. The name is
// short, because the path of a socket has room for a hundred bytes. There is no folder for what
// runs through the user's own command, exec, which may run elsewhere.
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

// TempDirVariables returns the variables, as NAME=VALUE, that make dir the folder for temporary
// files, as [os.TempDir] has it.
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
