package tickers

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

var ErrClosed = errors.New("hh: closed")

type Writer interface {
	WriteShard(ctx context.Context, p string) error
}

type NodeProcessor struct {
	mu    sync.RWMutex
	wg    sync.WaitGroup
	done  chan struct{}
	queue chan string
	w     Writer
	sent  int
	every time.Duration
}

func NewNodeProcessor(w Writer, every time.Duration) *NodeProcessor {
	return &NodeProcessor{w: w, queue: make(chan string, 8), every: every}
}

func (n *NodeProcessor) Open() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil {
		return nil
	}
	n.done = make(chan struct{})
	n.wg.Add(1)
	go n.run()
	return nil
}

func (n *NodeProcessor) Close() error {
	n.mu.Lock()
	if n.done == nil {
		n.mu.Unlock()
		return nil
	}
	close(n.done)
	n.done = nil
	n.mu.Unlock()
	n.wg.Wait()
	return nil
}

func (n *NodeProcessor) closing() <-chan struct{} {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.done
}

func (n *NodeProcessor) run() {
	defer n.wg.Done()
	t := time.NewTicker(n.every)
	defer t.Stop()
	for {
		select {
		case <-n.closing():
			return
		case p := <-n.queue:
			if err := n.w.WriteShard(context.Background(), p); err == nil {
				n.mu.Lock()
				n.sent++
				n.mu.Unlock()
			}
		case <-t.C:
		}
	}
}

func (n *NodeProcessor) Write(p string) error {
	if n.closing() == nil {
		return ErrClosed
	}
	n.queue <- p
	return nil
}

func (n *NodeProcessor) Sent() int { n.mu.RLock(); defer n.mu.RUnlock(); return n.sent }

type nullWriter struct{}

func (nullWriter) WriteShard(context.Context, string) error { return nil }

// The ticker is of 5 ms.
//
//want:deadlock deadlock
func TestWriteAndClose(t *testing.T) {
	n := NewNodeProcessor(nullWriter{}, 5*time.Millisecond)
	n.Open()
	if err := n.Write("p1"); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if n.Sent() == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Millisecond)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if n.Sent() != 1 {
		t.Errorf("%d sent", n.Sent())
	}
}
