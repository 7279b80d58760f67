package critical

import (
	"sync"
	"testing"
	"time"
)

func TestSection(t *testing.T) {
	var s Section
	inside := 0
	var visitors sync.WaitGroup
	for n := range 2 {
		visitors.Go(func() {
			time.Sleep(time.Duration(3*n) * time.Millisecond)
			s.Do(func() {
				inside++
				if inside != 1 {
					t.Errorf("%d are in the section", inside)
				}
				inside--
			})
		})
	}
	visitors.Wait()
}
