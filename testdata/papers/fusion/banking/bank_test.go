package banking

import (
	"sync"
	"testing"
)

// serve has customers use the bank, each so many times, and checks its books.
func serve(t *testing.T, customers, times int, careful bool) {
	b := new(Bank)
	var all sync.WaitGroup
	for c := range customers {
		all.Go(func() {
			for k := range times {
				id, n := (c+k)%len(b.accounts), 10*c+k
				if careful {
					b.Service(id, n)
				} else {
					b.CarelessService(id, n)
				}
			}
		})
	}
	all.Wait()
	if b.Sum() != b.total {
		t.Errorf("the accounts hold %d, the bank %d", b.Sum(), b.total)
	}
}

func TestBanking2(t *testing.T)   { serve(t, 2, 50, true) }
func TestBanking2a(t *testing.T)  { serve(t, 2, 40, false) }
func TestBanking5(t *testing.T)   { serve(t, 5, 39, true) }
func TestBanking5a(t *testing.T)  { serve(t, 5, 31, false) }
func TestBanking10(t *testing.T)  { serve(t, 10, 33, true) }
func TestBanking10a(t *testing.T) { serve(t, 10, 26, false) }
