package property_test

import (
	"fmt"

	"github.com/gopredict/gopredict/gotestplugin/property"
)

// A conn is an object of the program that has the property.
type conn struct{ closed bool }

func (c *conn) Read() string { return "data" }
func (c *conn) Close()       { c.closed = true }

// No order of the goroutines may have a Read after a Close, or two Closes.
var _ = property.For[*conn]("no use after close").
	On("read", (*conn).Read).
	On("close", (*conn).Close).
	ERE("read* close?")

// The declaration is a package variable of a _test.go file. The tests of its package stay as they
// are: gopredict looks for an order of their goroutines that violates the property.
func Example() {
	c := new(conn)
	fmt.Println(c.Read())
	c.Close()
	// Output: data
}
