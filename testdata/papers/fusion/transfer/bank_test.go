package transfer

import (
	"sync"
	"testing"
)

// serve has customers transfer money once, of whom two at a time have the same two
// accounts, and ask for statements before and after.
func serve(t *testing.T, customers int, transfer func(b *Bank, i, j, n int)) {
	b := New(100)
	var all sync.WaitGroup
	for c := range customers {
		all.Go(func() {
			i, j := c, c^1
			for range 14 {
				b.Statement(i, j)
			}
			transfer(b, i, j, 10)
			for range 14 {
				b.Statement(i, j)
			}
		})
	}
	all.Wait()
	if sum := b.Accounts[0].money + b.Accounts[1].money; sum != 200 {
		t.Errorf("the accounts hold %d, want 200", sum)
	}
	for k := range 40 {
		b.Statement(k%15, k%15+1)
	}
}

func TestAV2(t *testing.T)  { serve(t, 2, (*Bank).Transfer) }
func TestAV4(t *testing.T)  { serve(t, 4, (*Bank).Transfer) }
func TestAV6(t *testing.T)  { serve(t, 6, (*Bank).Transfer) }
func TestAV8(t *testing.T)  { serve(t, 8, (*Bank).Transfer) }
func TestSAV2(t *testing.T) { serve(t, 2, (*Bank).HalfTransfer) }
func TestSAV4(t *testing.T) { serve(t, 4, (*Bank).HalfTransfer) }
func TestSAV6(t *testing.T) { serve(t, 6, (*Bank).HalfTransfer) }
func TestSAV8(t *testing.T) { serve(t, 8, (*Bank).HalfTransfer) }
func TestNAV2(t *testing.T) { serve(t, 2, (*Bank).SafeTransfer) }
func TestNAV4(t *testing.T) { serve(t, 4, (*Bank).SafeTransfer) }
func TestNAV6(t *testing.T) { serve(t, 6, (*Bank).SafeTransfer) }
func TestNAV8(t *testing.T) { serve(t, 8, (*Bank).SafeTransfer) }
