package procgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// threadTimes returns how long the threads of a process that are there have run, and how long
// they have waited for a processor; 0 if the kernel does not tell.
func threadTimes(pid int) (ran, waited time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		var r, w time.Duration
		fmt.Sscan(string(data), &r, &w)
		ran, waited = ran+r, waited+w
	}
	return ran, waited
}
