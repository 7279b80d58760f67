package specjbb

import (
	"testing"
	"time"
)

func TestCompany(t *testing.T) {
	batch := 280
	if testing.Short() {
		batch = 10
	}
	c := New(3, 30)
	c.Start(batch)
	done := c.Measure(3*time.Millisecond, 5*time.Millisecond)
	if c.started != 3 || done > c.done {
		t.Errorf("%d terminals were started, %d transactions were counted, then %d", c.started, done, c.done)
	}
	for _, w := range c.warehouses {
		paid := 0
		for _, o := range w.orders[:w.next] {
			paid += o.amount
		}
		if paid != w.paid {
			t.Errorf("paid for %d, delivered %d", w.paid, paid)
		}
	}
}
