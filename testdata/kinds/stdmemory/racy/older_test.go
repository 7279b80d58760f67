//go:build go1.21

package racy

import "testing"

// TestOlderFile is in a file of Go 1.21, where all iterations share v.
func TestOlderFile(t *testing.T) {
	done := make(chan bool, 2)
	for _, v := range []int{1, 2} {
		go func() {
			_ = v
			done <- true
		}()
	}
	<-done
	<-done
}
