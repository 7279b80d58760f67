// Package unbuffered hands data over through unbuffered channels.
package unbuffered

import "testing"

func TestSendBeforeReceive(t *testing.T) {
	data, ready := 0, make(chan bool)
	go func() {
		data = 1
		ready <- true
	}()
	<-ready
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// A receive from an unbuffered channel happens before the send completes.
func TestReceiveBeforeSendCompletes(t *testing.T) {
	data, ready := 0, make(chan bool)
	go func() {
		data = 1
		<-ready
	}()
	ready <- true
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

func TestPingPong(t *testing.T) {
	data, ping, pong := 0, make(chan int), make(chan int)
	go func() {
		for n := range ping {
			data += n
			pong <- n
		}
		close(pong)
	}()
	for i := range 3 {
		data++
		ping <- i
		<-pong
	}
	close(ping)
	<-pong
	if data != 6 {
		t.Errorf("data is %d, want 6", data)
	}
}

func TestSelect(t *testing.T) {
	data, left, right := 0, make(chan bool), make(chan bool)
	go func() {
		data = 1
		select {
		case left <- true:
		case right <- true:
		}
	}()
	select {
	case <-left:
	case <-right:
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}
