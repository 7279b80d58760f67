package collections

import (
	"sync"
	"testing"
	"time"
)

// drive lets one goroutine add b to a, and then another one change b.
func drive(t *testing.T, a, b *Synced) {
	for v := range 3 {
		b.Add(v)
	}
	var users sync.WaitGroup
	users.Go(func() {
		a.AddAll(b)
	})
	users.Go(func() {
		time.Sleep(5 * time.Millisecond)
		b.Add(3)
		b.Clear()
	})
	users.Wait()
	if a.Len() != 3 || b.Len() != 0 {
		t.Errorf("the collections have %d and %d numbers, want 3 and 0", a.Len(), b.Len())
	}
}

func TestArrayList(t *testing.T) {
	drive(t, &Synced{Collection: new(ArrayList)}, &Synced{Collection: new(ArrayList)})
}

func TestLinkedList(t *testing.T) {
	drive(t, &Synced{Collection: new(LinkedList)}, &Synced{Collection: new(LinkedList)})
}

func TestHashSet(t *testing.T) {
	drive(t, &Synced{Collection: new(HashSet)}, &Synced{Collection: new(HashSet)})
}

func TestTreeSet(t *testing.T) {
	drive(t, &Synced{Collection: new(TreeSet)}, &Synced{Collection: new(TreeSet)})
}
