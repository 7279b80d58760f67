package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"example.com/shop/internal/store"
)

// serve serves a store with one product.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	s, err := store.Open(context.Background(), ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	_, err = s.Add(context.Background(), store.Product{Name: "Go", Count: 3})
	require.NoError(t, err)
	_, err = s.Product(context.Background(), 1)
	require.NoError(t, err)
	srv := httptest.NewServer(New(s))
	t.Cleanup(srv.Close)
	return srv
}

// Two clients ask for the same product.
func TestProduct(t *testing.T) {
	srv := serve(t)
	var g errgroup.Group
	for range 2 {
		g.Go(func() error {
			resp, err := srv.Client().Get(srv.URL + "/products/1")
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			var p store.Product
			if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
				return err
			}
			if p.Name != "Go" {
				return fmt.Errorf("got %v", p)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
}

func TestNoProduct(t *testing.T) {
	srv := serve(t)
	for path, want := range map[string]int{"/products/2": http.StatusNotFound, "/products/x": http.StatusBadRequest} {
		resp, err := srv.Client().Get(srv.URL + path)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, want, resp.StatusCode, path)
	}
}

// A customer puts two things into the cart at once.
func TestCart(t *testing.T) {
	s := New(nil)
	var wg sync.WaitGroup
	for _, name := range []string{"Go", "Chess"} {
		wg.Go(func() {
			r := httptest.NewRequest("POST", "/carts/ann?name="+name, nil)
			s.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	wg.Wait()
	r := httptest.NewRequest("POST", "/carts/ann?name=Saw", nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	require.JSONEq(t, `{"items": 3, "cents": 300}`, w.Body.String())
}
