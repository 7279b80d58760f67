package command

import (
	"fmt"
	"os"
	"path/filepath"
)

// makeWorkFolder makes the folder for one run's files: below keep if that is named,
// and then it stays; else a temporary one, which cleanup removes. What is kept of several
// runs lies side by side.
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
	// A module of its own: ./... of the module around it leaves it out.
	return dir, func() {}, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module run\n"), 0o666)
}

// hiddenCommand returns the words by which the go command calls a hidden subcommand of this very
// executable.
func hiddenCommand(command string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, command}, err
}
