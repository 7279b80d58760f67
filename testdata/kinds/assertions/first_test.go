package assertions

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestLocal(t *testing.T) {
	var mu, mu2 sync.Mutex
	x, y := 0, 0
	inTurn(func() {
		mu.Lock()
		x = 1
		mu.Unlock()
		mu2.Lock()
		y = 1
		mu2.Unlock()
	}, func() {
		mu.Lock()
		u := x
		mu.Unlock()
		if u > 0 {
			mu2.Lock()
			v := y
			mu2.Unlock()
			if v != 1 { // confirmed
				t.Errorf("y is %d", v)
			}
		}
	})
}

type conf struct {
	mu    sync.Mutex
	limit int
	name  string
	ok    bool
	small int8
	next  *conf
	vals  [3]int
	list  []int
}

func TestLiteral(t *testing.T) {
	c := &conf{limit: 5}
	inTurn(func() {
		c.mu.Lock()
		c.limit = 7
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		v := c.limit
		c.mu.Unlock()
		if v != 7 { // confirmed
			t.Errorf("limit is %d", v)
		}
	})
}

func TestFirstString(t *testing.T) {
	c := conf{name: "none"}
	inTurn(func() {
		c.mu.Lock()
		c.name = "some"
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		v := c.name
		c.mu.Unlock()
		if v == "none" { // confirmed
			t.Errorf("name is %s", v)
		}
	})
}

func TestSmall(t *testing.T) {
	var c conf
	inTurn(func() {
		c.mu.Lock()
		c.small, c.ok = -3, true
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		v, ok := c.small, c.ok
		c.mu.Unlock()
		if v != -3 || !ok { // confirmed
			t.Errorf("small is %d", v)
		}
	})
}

func TestElement(t *testing.T) {
	c := conf{vals: [3]int{1, 2, 3}}
	inTurn(func() {
		c.mu.Lock()
		c.vals[1] = 7
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		v := c.vals[1]
		c.mu.Unlock()
		if v == 2 { // confirmed
			t.Errorf("vals[1] is %d", v)
		}
	})
}

func TestSliceElement(t *testing.T) {
	var mu sync.Mutex
	vals := make([]int, 4)
	inTurn(func() {
		mu.Lock()
		vals[1] = 7
		mu.Unlock()
	}, func() {
		mu.Lock()
		v := vals[1]
		mu.Unlock()
		if v == 0 { // confirmed
			t.Errorf("vals[1] is %d", v)
		}
	})
}

func TestFirstPointer(t *testing.T) {
	var c conf
	inTurn(func() {
		c.mu.Lock()
		c.next = &conf{}
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		v := c.next
		c.mu.Unlock()
		if v == nil { // confirmed
			t.Errorf("no next")
		}
	})
}

func TestFirstLength(t *testing.T) {
	var c conf
	inTurn(func() {
		c.mu.Lock()
		c.list = make([]int, 3)
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		n := len(c.list)
		c.mu.Unlock()
		if n != 3 { // confirmed
			t.Errorf("%d", n)
		}
	})
}

var (
	globalMu sync.Mutex
	global   = 42
	zero     int
)

func TestGlobal(t *testing.T) {
	inTurn(func() {
		globalMu.Lock()
		global = 1
		globalMu.Unlock()
	}, func() {
		globalMu.Lock()
		v := global
		globalMu.Unlock()
		if v == 42 { // confirmed
			t.Errorf("global is %d", v)
		}
	})
}

func TestZeroGlobal(t *testing.T) {
	inTurn(func() {
		globalMu.Lock()
		zero = 1
		globalMu.Unlock()
	}, func() {
		globalMu.Lock()
		z := zero
		globalMu.Unlock()
		if z == 0 { // confirmed
			t.Errorf("zero is %d", z)
		}
	})
}

func TestAtomic(t *testing.T) {
	var ready atomic.Bool
	inTurn(func() { ready.Store(true) }, func() {
		if !ready.Load() { // confirmed
			t.Error("not ready")
		}
	})
}

func TestAtomicSwap(t *testing.T) {
	var n atomic.Int32
	n.CompareAndSwap(0, 3)
	inTurn(func() { n.Store(5) }, func() {
		if n.Load() == 3 { // confirmed
			t.Error("still 3")
		}
	})
}

func TestClosure(t *testing.T) {
	var mu sync.Mutex
	done := false
	finish := func() { mu.Lock(); defer mu.Unlock(); done = true }
	is := func() bool { mu.Lock(); defer mu.Unlock(); return done }
	inTurn(finish, func() {
		if !is() { // confirmed
			t.Error("not done")
		}
	})
}

func TestChannelGuard(t *testing.T) {
	var mu sync.Mutex
	state := "idle"
	inTurn(func() { mu.Lock(); state = "busy"; mu.Unlock() }, func() {
		mu.Lock()
		s := state
		mu.Unlock()
		switch s {
		case "idle":
			t.Error("idle") // confirmed
		}
	})
}
