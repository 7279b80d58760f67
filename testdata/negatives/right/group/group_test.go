// Package group runs functions like an errgroup and keeps the first error.
package group

import (
	"errors"
	"sync"
	"testing"
)

type group struct {
	wg   sync.WaitGroup
	once sync.Once
	room chan struct{}
	err  error
}

func (g *group) run(f func() error) {
	g.room <- struct{}{}
	g.wg.Add(1)
	go func() {
		defer func() {
			<-g.room
			g.wg.Done()
		}()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	}()
}

func (g *group) wait() error {
	g.wg.Wait()
	return g.err
}

func TestFirstError(t *testing.T) {
	g := &group{room: make(chan struct{}, 2)}
	var results [4]int
	for i := range results {
		g.run(func() error {
			results[i] = i
			if i%2 == 1 {
				return errors.New("odd")
			}
			return nil
		})
	}
	if err := g.wait(); err == nil {
		t.Error("no error")
	}
	if results != [4]int{0, 1, 2, 3} {
		t.Errorf("the results are %v", results)
	}
}
