// Package api serves the shop over HTTP.
package api

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"example.com/shop/internal/cart"
	"example.com/shop/internal/store"
)

// A server answers the requests of many at a time.
type server struct {
	store *store.Store
	hits  int

	mu    sync.Mutex
	carts map[string]*cart.Cart
}

// New returns the handler of all requests.
func New(s *store.Store) http.Handler {
	srv := &server{store: s, carts: make(map[string]*cart.Cart)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /products/{id}", srv.product)
	mux.HandleFunc("POST /carts/{customer}", srv.add)
	mux.HandleFunc("GET /hits", srv.count)
	return mux
}

// product answers with a product.
func (s *server) product(w http.ResponseWriter, r *http.Request) {
	s.hits++
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "want a number", http.StatusBadRequest)
		return
	}
	p, err := s.store.Product(r.Context(), id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		json.NewEncoder(w).Encode(p)
	}
}

// cart returns the cart of a customer, who gets one with the first request.
func (s *server) cart(customer string) *cart.Cart {
	s.mu.Lock()
	c, ok := s.carts[customer]
	s.mu.Unlock()
	if !ok {
		c = new(cart.Cart)
		s.mu.Lock()
		s.carts[customer] = c
		s.mu.Unlock()
	}
	return c
}

// add puts a product into the cart of a customer, and answers with the bill.
func (s *server) add(w http.ResponseWriter, r *http.Request) {
	c := s.cart(r.PathValue("customer"))
	c.Add(r.FormValue("name"), 100)
	items, cents := c.Bill()
	json.NewEncoder(w).Encode(map[string]int{"items": items, "cents": cents})
}

// count answers with the number of products that were asked for.
func (s *server) count(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(s.hits)
}
