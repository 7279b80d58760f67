//go:build !unix

package run

import (
	"os"
	"time"
)

// Peak is not known here.
func Peak(*os.ProcessState) float64 { return 0 }

// Processor is not known here.
func Processor() time.Duration { return 0 }
