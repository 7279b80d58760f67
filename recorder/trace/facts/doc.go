// Package facts is the one table of what follows from the events of a trace: which event
// completes which operation, who lets whom go on, which release ends which critical section.
//
// In the flow it comes directly after package trace and before every analysis. A room asks the table
// instead of walking through the events on its own. [New] makes it once for each trace, or
// for each window of a long one, in linear time. It does not change afterwards, and is safe
// for concurrent use. package order makes one; whoever has an order asks that for it.
//
// # Positions, rows and numbers
//
// A position is an index into trace.Trace.Events. A row is an index into one of the tables
// below: each has a method that returns all rows, and one that returns the row of an event.
// A number is that of an object: the objects of one class (locks, channels, …) are numbered
// from 0 in the order of their first events, see [Facts.Objects]. All three are int32, and
// [None] stands for what the trace does not have.
//
//	table                    row of event i     has
//	Operations  []Operation  OperationOf(i)     sends and receives, also those of selects
//	Sections    []Section    SectionOf(i)       critical sections
//	Tickets     []Ticket     TicketOf(i)        waits for conditions
//	Rounds      []Round      RoundOf(i)         Adds of a WaitGroup from zero to zero
//	GroupWaits  []GroupWait  GroupWaitOf(i)     waits for WaitGroups
//	Onces       []Once       OnceOf(i)          runs of a Once's function
//
// [Facts.Enabler] answers the most frequent question for all of them: which event of
// another operation let this one happen.
//
// # Channels
//
// A channel serves each side in the order in which its operations begin. The rank of an
// operation is its place in that order, from 1. It is the number of the element, as the
// k-th send hands its element to the k-th receive, and the k-th receive makes room for send
// k+C, C being the capacity. An operation has no rank if it passes no element: a receive
// that found the channel closed, an operation that panicked. An operation that never
// completed has a rank: it stood in line.
//
// Elements have the numbers that the run-time library recorded. They agree with the ranks
// unless elements come or go that no event accounts for, as those of timers do:
// Channel.External.
//
// # Critical sections
//
// A release ends the last open section of its own goroutine that is of its lock and side. So
// of two read locks of one goroutine, the first release ends the inner one. If the
// goroutine has no such section, the release ends the oldest one of another goroutine,
// which has handed the lock over: [Facts.HandedOver].
//
// An acquire ends all sections that it excludes, although the trace has no release: the lock
// was garbage, and the allocator put another one there. Such a section is abandoned; see
// [Facts.Abandoned].
//
// # Conditions, WaitGroups, Onces
//
// A ticket is what a goroutine waits for a condition with. A signal wakes the oldest one, a
// broadcast all; the recorded numbers say which.
//
// A round is the Adds of one WaitGroup from the first one after its counter was zero to the
// Done that makes it zero again. A wait belongs to the round that had ended last when it
// returned.
//
// Each run of a Once's function is a row of its own, since several Onces may lie at one
// address in turn.
package facts
