package daisy

import (
	"sync"
	"testing"
	"time"
)

func TestBlocks(t *testing.T) {
	const blocks, size = 3, 2
	fs := New(blocks, size)
	var users sync.WaitGroup
	for n := range 2 {
		users.Go(func() {
			time.Sleep(time.Duration(4*n) * time.Millisecond)
			for at := range size {
				fs.Write(n, at, byte(n+1)) // one's own block
				if got := fs.Read(n, at); got != byte(n+1) {
					t.Errorf("byte %d of block %d is %d", at, n, got)
				}
				fs.Write(2, at, byte(n+1)) // that of both
			}
		})
	}
	users.Wait()
}
