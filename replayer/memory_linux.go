package replayer

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// inMemory makes a file that has no place in any folder, and is gone once it is
// closed. Other processes of the same user open it by its name.
func inMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("gopredict", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making a file in memory: %w", err)
	}
	name := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)
	f := os.NewFile(uintptr(fd), name)
	if _, err := os.Stat(name); err != nil { // there may be no /proc
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
