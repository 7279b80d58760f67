package banking

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTransfer(t *testing.T) {
	b := &Bank{savings: Account{money: 100}, current: Account{money: 100}, joint: Account{money: 100}}
	var customers sync.WaitGroup
	customers.Go(func() { Transfer(&b.savings, &b.current, 10) })
	customers.Go(func() { Transfer(&b.joint, &b.current, 20) })
	customers.Wait()
	assert.Equal(t, 300, b.Total(), "money got lost")
}
