package atomicity

import (
	"sync"
	"testing"
	"time"
)

// both runs f and g, mostly g first.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(func() { time.Sleep(5 * time.Millisecond); f() })
	wg.Go(g)
	wg.Wait()
}

func TestReadWriteRead(t *testing.T) {
	var tank Tank
	both(func() { tank.Fill(50) }, func() {
		if liters, percent := tank.Report(); liters != percent {
			t.Errorf("%d liters are %d percent", liters, percent)
		}
	})
}

func TestReadWriteWrite(t *testing.T) {
	account := Account{balance: 100}
	both(func() { account.Deposit(50) }, func() { account.Withdraw(30) })
	if n := account.Balance(); n != 120 {
		t.Errorf("balance is %d, want 120", n)
	}
}

func TestWriteWriteRead(t *testing.T) {
	var s Session
	both(func() { s.Login(1) }, func() {
		if who := s.Login(2); who != 2 {
			t.Errorf("user 2 is greeted as %d", who)
		}
	})
}

func TestWriteReadWrite(t *testing.T) {
	rate := Rate{n: 4}
	both(func() { rate.Divide(100) }, func() { rate.Refresh(5) })
}

func TestWriteWriteWrite(t *testing.T) {
	var job Job
	ends := false
	both(func() { ends = job.Cancel() }, job.Start)
	if ends && !job.cancelled {
		t.Error("the job was cancelled and goes on")
	}
}
