package forks

import (
	"os/exec"
	"sync"
	"testing"
)

func TestTwoAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := exec.Command("true").Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
