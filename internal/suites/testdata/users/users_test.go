package users

import (
	"context"
	"sync"
	"testing"

	"github.com/gopredict/gopredict/gotestplugin/property"
	"github.com/jackc/puddle/v2"
	"golang.org/x/sync/errgroup"
)

type conn struct{ sent int }

var (
	_ = property.For[*puddle.Resource[*conn]]("no use after release").
		On("acquire").
		On("use", (*puddle.Resource[*conn]).Value).
		On("release", (*puddle.Resource[*conn]).Release, (*puddle.Resource[*conn]).Destroy).
		ERE("(acquire use* release)*")
	_ = property.For[*errgroup.Group]("nothing starts after wait").
		On("start", (*errgroup.Group).Go).
		On("wait", (*errgroup.Group).Wait).
		ERE("start* wait*")
)

func TestRelease(t *testing.T) {
	pool, err := puddle.NewPool(&puddle.Config[*conn]{
		Constructor: func(context.Context) (*conn, error) { return new(conn), nil },
		Destructor:  func(*conn) {},
		MaxSize:     1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for range 2 {
		r, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		property.Event("acquire", r)
		var all sync.WaitGroup
		all.Go(func() { r.Value().sent++ })
		wait(&all)
		r.Release()
		all.Wait()
	}
}

func TestGroup(t *testing.T) {
	var g errgroup.Group
	var all sync.WaitGroup
	all.Go(func() {
		g.Go(func() error { return nil })
	})
	wait(&all)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
}
