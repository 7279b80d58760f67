package mail

import (
	"testing"
	"time"
)

func TestNotify(t *testing.T) {
	sent := make(chan string, 2)
	s := &Sender{Send: func(to, text string) { sent <- to + ": " + text }}
	s.Notify("on its way", "ann", "bob")
	time.Sleep(5 * time.Millisecond) // they have begun by then
	s.Flush()
	if len(sent) != 2 {
		t.Errorf("%d mails sent, want 2", len(sent))
	}
}
