package shop

import (
	"sync"
	"testing"
	"time"
)

func TestCustomers(t *testing.T) {
	s := new(Shop)
	var all sync.WaitGroup
	all.Go(func() {
		for range 12 {
			s.Put()
		}
	})
	for n := range 2 {
		all.Go(func() {
			time.Sleep(time.Duration(4*n+4) * time.Millisecond)
			for range 6 {
				s.Take()
			}
		})
	}
	all.Wait()
	if s.goods != 0 {
		t.Errorf("%d goods are left", s.goods)
	}
}
