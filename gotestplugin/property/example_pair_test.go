package property_test

import (
	"fmt"

	"github.com/gopredict/gopredict/gotestplugin/property"
)

// A list is changed while iterators go through it.
type list struct{ items []string }

func (l *list) Add(item string)     { l.items = append(l.items, item) }
func (l *list) Iterator() *iterator { return &iterator{l, 0} }

// An iterator goes through one list.
type iterator struct {
	list *list
	next int
}

func (i *iterator) Next() string {
	i.next++
	return i.list.items[i.next-1]
}

// A pair is a list and an iterator that it returned. The changes of the list are events of all
// its pairs.
var _ = property.For2[*list, *iterator]("no use of an iterator after a change").
	OnReturn("begin", (*list).Iterator).
	On("change", (*list).Add).
	On("next", (*iterator).Next).
	ERE("change* begin next* change*")

// A property of pairs is declared with [property.For2].
func ExampleFor2() {
	l := new(list)
	l.Add("first")
	fmt.Println(l.Iterator().Next())
	// Output: first
}
