package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// makeWorkFolder makes the folder for one run's files. If keep is given it is a new folder below that,
// and stays; else it is a temporary one, which cleanup removes.
func makeWorkFolder(keep string) (dir string, cleanup func(), err error) {
	if keep == "" {
		dir, err = os.MkdirTemp("", "gopredict-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	if keep, err = filepath.Abs(keep); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return "", nil, fmt.Errorf("-%skeep: %w", prefix, err)
	}
	if dir, err = os.MkdirTemp(keep, "run-"); err != nil {
		return "", nil, err
	}
	// It is a module of its own, so that ./... of the module around it leaves it out.
	return dir, func() {}, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module run\n"), 0o666)
}

// hiddenCommandLine returns the command line with which the go command runs a hidden subcommand of this
// executable.
func hiddenCommandLine(command string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, command}, err
}

// createFile writes a file of the command line.
func (s *session) createFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(s.absolutePath(name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
