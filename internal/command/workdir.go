package command

import (
	"fmt"
	"os"
	"path/filepath"
)

// makeWork makes the folder for one run's files: below keep if that is named,
// and then it stays; else a temporary one, which cleanup removes.
func makeWork(keep string) (dir string, cleanup func(), err error) {
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
	dir, err = os.MkdirTemp(keep, "run-")
	return dir, func() {}, err
}

// shim returns the words that go test runs test binaries with.
func shim() ([]string, error) {
	self, err := os.Executable()
	return []string{self, shimCommand}, err
}
