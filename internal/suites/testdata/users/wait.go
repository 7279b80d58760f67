package users

import (
	"sync"
	"time"
)

// wait waits for a goroutine, more or less.
func wait(*sync.WaitGroup) { time.Sleep(10 * time.Millisecond) }
