package namesakes

import (
	"sync"
	"testing"
)

func both(f func(i int)) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func TestTwice(t *testing.T) {
	p := new(Page)
	c := make(chan bool, 2)
	c <- true
	c <- true
	cell := new(Cell[int])
	both(func(int) { p.Return(false) })
	both(func(k int) { p.Switch(k + 1) })
	both(func(int) { p.Literal(false) })
	both(func(int) { p.Deferred(false) })
	both(func(int) { p.Select(nil, c) })
	both(func(int) { p.Renamed(p, false) })
	both(func(int) { cell.Set(1, false) })
}

func TestStart(t *testing.T)        { new(Job).Start() }
func TestOnce(t *testing.T)         { new(Job).Once() }
func TestGeneric(t *testing.T)      { new(Job).Generic() }
func TestNested(t *testing.T)       { new(Job).Nested() }
func TestDeferred(t *testing.T)     { new(Job).Deferred() }
func TestEmbedded(t *testing.T)     { Owner{new(Job)}.Embedded() }
func TestGlobal(t *testing.T)       { Global() }
func TestOtherPackage(t *testing.T) { new(Job).OtherPackage() }
