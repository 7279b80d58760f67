// Shop serves a small shop.
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"

	"example.com/shop/internal/api"
	"example.com/shop/internal/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ":8080", "shop.db"); err != nil {
		log.Fatal(err)
	}
}

// run serves the shop in file at addr until ctx is done.
func run(ctx context.Context, addr, file string) error {
	db, err := store.Open(ctx, file)
	if err != nil {
		return err
	}
	defer db.Close()
	srv := &http.Server{Addr: addr, Handler: api.New(db)}
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background())
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
