//go:build !linux

package procgroup

import "time"

// threadTimes returns nothing: such systems do not tell how long threads wait for a processor.
func threadTimes(int) (ran, waited time.Duration) { return 0, 0 }
