package atom

import (
	"sync"
	"testing"
	"time"
)

// show has one thread tell what it does, while another one looks.
func show(t *testing.T, look func(*Conn) string) {
	var c Conn
	var all sync.WaitGroup
	query := "query"
	c.Set(&query)
	all.Go(func() {
		for range 2 {
			c.Set(&query)
		}
	})
	all.Go(func() { look(&c) })
	all.Go(func() {
		time.Sleep(20 * time.Millisecond)
		c.Set(nil)
	})
	all.Wait()
	if c.info != nil {
		t.Error("it does something")
	}
}

// rotate has two threads write so many lines, and then another one rotates.
func rotate(t *testing.T, lines int, turn func(*Log)) {
	l := &Log{open: true}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range lines {
				l.Write()
			}
		})
	}
	all.Go(func() {
		time.Sleep(20 * time.Millisecond)
		turn(l)
	})
	all.Wait()
	if l.lines != 2*lines {
		t.Errorf("%d lines, want %d", l.lines, 2*lines)
	}
}

func TestAtom001(t *testing.T)  { show(t, (*Conn).Show) }
func TestAtom001a(t *testing.T) { show(t, (*Conn).ShowOnce) }
func TestAtom002(t *testing.T)  { rotate(t, 16, (*Log).Rotate) }
func TestAtom002a(t *testing.T) { rotate(t, 16, (*Log).RotateOnce) }
