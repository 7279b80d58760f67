package store

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/suite"
)

// folder is where the tests' files are.
var folder string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if folder, err = os.MkdirTemp("", "shop"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// A StoreSuite has a store of its own in each of its tests.
type StoreSuite struct {
	suite.Suite
	store *Store
}

func TestStore(t *testing.T) {
	suite.Run(t, new(StoreSuite))
}

func (s *StoreSuite) SetupTest() {
	var err error
	s.store, err = Open(context.Background(), filepath.Join(folder, s.T().Name()[len("TestStore/"):]))
	s.Require().NoError(err)
}

func (s *StoreSuite) TearDownTest() {
	s.NoError(s.store.Close())
}

// The store prepares a statement for each of two who ask for it first.
func (s *StoreSuite) TestAddTogether() {
	ctx := context.Background()
	var wg sync.WaitGroup
	for _, name := range []string{"Go", "Chess"} {
		wg.Go(func() {
			_, err := s.store.Add(ctx, Product{Name: name, Kind: Book, Count: 1})
			s.NoError(err)
		})
	}
	wg.Wait()
}

// The last piece is sold once.
func (s *StoreSuite) TestTakeLast() {
	ctx := context.Background()
	id, err := s.store.Add(ctx, Product{Name: "Hammer", Kind: Tool, Count: 1})
	s.Require().NoError(err)
	first := make(chan error)
	go func() { first <- s.store.Take(ctx, id) }()
	s.NoError(<-first)
	s.ErrorIs(s.store.Take(ctx, id), ErrSold)
	p, err := s.store.Product(ctx, id)
	s.NoError(err)
	s.Equal("Tool", p.Kind.String())
}

// Two buyers, of whom one gets the last piece.
func (s *StoreSuite) TestTakeTogether() {
	ctx := context.Background()
	id, err := s.store.Add(ctx, Product{Name: "Saw", Kind: Tool, Count: 1})
	s.Require().NoError(err)
	errs := make(chan error, 2)
	for i := range 2 {
		go func() {
			time.Sleep(time.Duration(i) * 20 * time.Millisecond) // they come one after the other
			errs <- s.store.Take(ctx, id)
		}()
	}
	sold := 0
	for range 2 {
		if <-errs == nil {
			sold++
		}
	}
	s.Equal(1, sold)
}
