// Package property declares what the objects of a type must never go through, for
// gopredict to look for in all orders of the goroutines of a test:
//
//	var _ = property.For[*pool.Conn]("no use after close").
//		On("use", (*pool.Conn).Write, (*pool.Conn).Read).
//		On("close", (*pool.Conn).Close).
//		ERE("use* close?")
//
// A declaration is a package variable of a _test.go file, and holds for the tests of its
// package. gopredict reads it from the sources: names and texts are constants. The
// declaration does nothing when the tests run.
//
// An event is a call of one of its methods, when it begins or ([Property.OnReturn]) ends, an
// access to a field of an object, or what the program tells by [Event]. Each object has a run of
// events of its own. The property is violated at the first event from which on
// nothing that could follow would satisfy it; that a run ends too early is no violation.
// `gopredict property explain` prints the automaton that a text stands for.
//
// The package depends on the standard library only.
package property

// A Property is a declaration that has no text yet. T is the type of the objects, a
// pointer.
type Property[T any] struct{}

// A Declaration is a whole one.
type Declaration struct{}

// For begins the declaration of a property of the objects of type T, a pointer, under a name
// that no other one of the package has.
func For[T any](name string) Property[T] { return Property[T]{} }

// A Property2 is a declaration for pairs that has no text yet. T and U are the types of their
// objects, pointers.
type Property2[T, U any] struct{}

// For2 begins the declaration of a property of pairs of objects, of two types T and U, both
// pointers. A pair comes to be by an event that is about both: a call of a method with the one
// as its receiver and the other as an argument or, for [Property2.OnReturn], a result, or an
// [Event] that is told of both at once. It goes through all the events that are about one of
// its objects or both, also those before it came to be, and none that are about one of its objects
// and another one of the other type.
func For2[T, U any](name string) Property2[T, U] { return Property2[T, U]{} }

// On is [Property.On] for methods of T and U.
func (p Property2[T, U]) On(event string, methods ...any) Property2[T, U] { return p }

// OnReturn is [Property.OnReturn] for methods of T and U.
func (p Property2[T, U]) OnReturn(event string, methods ...any) Property2[T, U] { return p }

// ERE is [Property.ERE].
func (p Property2[T, U]) ERE(text string) Declaration { return Declaration{} }

// LTL is [Property.LTL].
func (p Property2[T, U]) LTL(text string) Declaration { return Declaration{} }

// Automaton is [Property.Automaton].
func (p Property2[T, U]) Automaton(text string) Declaration { return Declaration{} }

// On names the event that one of the methods of T is called on an object. Methods are
// written as (*T).Method. Each has one event at most, an event may have several. Without
// methods it names one that [Event] tells of.
func (p Property[T]) On(event string, methods ...any) Property[T] { return p }

// Event tells that an event happens to each of some objects, for properties that name it by
// [Property.On] without methods. The name is a constant, and each object has, as the program
// is written, the type that the property is for.
func Event(name string, objects ...any) {}

// OnReturn names the event that one of the methods of T is done with an object: it returns, or
// panics.
func (p Property[T]) OnReturn(event string, methods ...any) Property[T] { return p }

// OnRead names the event that the program reads a field of an object. A field is written as
// func(c *pool.Conn) any { return &c.state }, a function that is never called.
func (p Property[T]) OnRead(event string, fields ...func(T) any) Property[T] { return p }

// OnWrite names the event that the program writes a field of an object.
func (p Property[T]) OnWrite(event string, fields ...func(T) any) Property[T] { return p }

// OnLock names the event that a sync.Mutex, or a sync.RWMutex for writing, that is a field of an
// object has been acquired.
func (p Property[T]) OnLock(event string, fields ...func(T) any) Property[T] { return p }

// OnUnlock names the event that such a lock is about to be released.
func (p Property[T]) OnUnlock(event string, fields ...func(T) any) Property[T] { return p }

// OnSend names the event that something is sent to a channel that is a field of an object: that
// begins, or, in a select, is what has been chosen.
func (p Property[T]) OnSend(event string, fields ...func(T) any) Property[T] { return p }

// OnReceive names the event that something has been received from such a channel, or that it is
// known to be closed.
func (p Property[T]) OnReceive(event string, fields ...func(T) any) Property[T] { return p }

// OnClose names the event that such a channel is about to be closed.
func (p Property[T]) OnClose(event string, fields ...func(T) any) Property[T] { return p }

// ERE says by an extended regular expression what events an object may go through, in
// their order: names of events, one after the other with space between; x* x+ x? for any
// number, one or more, one or none; x | y, x & y, ~x for either, both, not; any and empty
// for any one event and none; and parentheses.
func (p Property[T]) ERE(text string) Declaration { return Declaration{} }

// LTL says it by a formula of linear temporal logic on finite runs. Beside names of events,
// true, false, ! && || -> and parentheses it has of the future next, eventually, always
// and until, and of the past previously, once, historically and since, under which none of
// the future may stand. A formula without operators of the future holds at each event.
func (p Property[T]) LTL(text string) Declaration { return Declaration{} }

// Automaton says it by an automaton: "STATE: event -> STATE, event -> STATE; STATE: …".
// An object begins in the first state; an event for which its state has no
// successor violates the property.
func (p Property[T]) Automaton(text string) Declaration { return Declaration{} }
