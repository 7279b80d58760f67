package store

//go:generate stringer -type=Kind

// A Kind is what a product is.
type Kind int

// The kinds of products.
const (
	Book Kind = iota
	Game
	Tool
)
