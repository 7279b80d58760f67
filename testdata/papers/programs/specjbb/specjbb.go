// Package specjbb is a company like that of the benchmark SpecJBB: terminals make
// transactions on its warehouses, whose stock and orders have locks, while somebody
// starts and stops the time that is measured. As there, what the company is about to do,
// and what its terminals have done so far, is read and written without one.
package specjbb

import (
	"sync"
	"time"
)

// A Mode is what a company is about to do.
type Mode int

// The modes, in their order.
const (
	RampUp Mode = iota
	Recording
	Stopped
)

// An Order is for some of an item.
type Order struct {
	item, amount int
	delivered    bool
}

// A Warehouse has a stock, and orders.
type Warehouse struct {
	mu     sync.Mutex
	stock  []int    // by item; guarded by mu
	orders []*Order // guarded by mu
	next   int      // the first order that was not delivered; guarded by mu
	paid   int      // guarded by mu
}

func (w *Warehouse) order(item, amount int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stock[item] < amount {
		w.stock[item] += 100
	}
	w.stock[item] -= amount
	w.orders = append(w.orders, &Order{item: item, amount: amount})
}

func (w *Warehouse) deliver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == len(w.orders) {
		return false
	}
	o := w.orders[w.next]
	o.delivered = true
	w.next++
	w.paid += o.amount
	return true
}

// A Company has warehouses, and a terminal for each.
type Company struct {
	warehouses []*Warehouse
	mode       Mode
	started    int // terminals

	done  int // transactions while the mode was Recording
	last  int // the last item that was ordered
	ended sync.WaitGroup
}

// New returns a company.
func New(warehouses, items int) *Company {
	c := new(Company)
	for range warehouses {
		c.warehouses = append(c.warehouses, &Warehouse{stock: make([]int, items)})
	}
	return c
}

// Start starts the terminals, each of which makes some transactions before it asks
// whether to stop.
func (c *Company) Start(batch int) {
	for id := range c.warehouses {
		c.ended.Go(func() { c.terminal(id, batch) })
	}
}

func (c *Company) terminal(id, batch int) {
	c.started++
	for n := 0; c.mode != Stopped; n++ {
		for k := range batch {
			c.transaction(id, n+k)
		}
		if c.mode == Recording {
			c.done += batch
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// transaction orders from the terminal's own warehouse, or another one, or delivers.
func (c *Company) transaction(id, n int) {
	w := c.warehouses[id]
	if n%10 == 9 {
		w = c.warehouses[(id+1)%len(c.warehouses)]
	}
	item := (7*n + id) % len(w.stock)
	w.order(item, n%5+1)
	c.last = item
	if n%3 == 2 {
		w.deliver()
	}
}

// Measure lets the terminals work, then counts for a while, then stops them, and
// returns how many transactions were counted.
func (c *Company) Measure(rampUp, recording time.Duration) int {
	time.Sleep(rampUp)
	c.mode = Recording
	time.Sleep(recording)
	done := c.done
	c.mode = Stopped
	c.ended.Wait()
	return done
}
