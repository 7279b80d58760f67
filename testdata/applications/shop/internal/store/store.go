// Package store keeps the products of the shop in SQLite.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	_ "modernc.org/sqlite" // the driver
)

// ErrSold says that less is there than was asked for.
var ErrSold = errors.New("store: sold out")

// A Product is a row of the table of products.
type Product struct {
	ID    int
	Name  string
	Kind  Kind
	Count int
}

// A Store is safe for use by many goroutines.
type Store struct {
	db       *sql.DB
	prepared map[string]*sql.Stmt // by its text
}

// Open opens the store in file, or makes a new one there.
func Open(ctx context.Context, file string) (*Store, error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // of a store in memory each connection has one of its own
	_, err = db.ExecContext(ctx, `create table if not exists products
		(id integer primary key, name text not null, kind integer not null, count integer not null)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db, prepared: make(map[string]*sql.Stmt)}, nil
}

// Close closes the store, and all that it has prepared.
func (s *Store) Close() error {
	return s.db.Close()
}

// prepare prepares a statement when it is needed first.
func (s *Store) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := s.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s.prepared[text] = stmt
	return stmt, nil
}

// Add adds a product and returns its number.
func (s *Store) Add(ctx context.Context, p Product) (int, error) {
	stmt, err := s.prepare(ctx, "insert into products (name, kind, count) values (?, ?, ?)")
	if err != nil {
		return 0, err
	}
	done, err := stmt.ExecContext(ctx, p.Name, p.Kind, p.Count)
	if err != nil {
		return 0, err
	}
	id, err := done.LastInsertId()
	return int(id), err
}

// Product returns the product of a number, sql.ErrNoRows if there is none.
func (s *Store) Product(ctx context.Context, id int) (p Product, err error) {
	stmt, err := s.prepare(ctx, "select id, name, kind, count from products where id = ?")
	if err != nil {
		return p, err
	}
	err = stmt.QueryRowContext(ctx, id).Scan(&p.ID, &p.Name, &p.Kind, &p.Count)
	return p, err
}

// Take takes one piece of a product; ErrSold if there is none left.
func (s *Store) Take(ctx context.Context, id int) error {
	p, err := s.Product(ctx, id)
	if err != nil {
		return err
	}
	if p.Count == 0 {
		return ErrSold
	}
	stmt, err := s.prepare(ctx, "update products set count = ? where id = ?")
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, p.Count-1, id)
	return err
}
