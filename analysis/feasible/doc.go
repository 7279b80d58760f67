// Package feasible is the independent judge of schedules. A schedule executes
// events of a trace in some order; then goroutines are about to execute the
// events of a violation. The judge decides whether the program can do that, as
// far as the trace tells. It shares no code with the predictors. It checks
// each of their schedules before a replay, and is the oracle of their tests:
// for small traces it looks at all interleavings ([Races], [Deadlocks]).
//
// # What must hold
//
// The judge executes the steps on a model of memory and of all objects of
// synchronization. Each goroutine takes its recorded events in program order,
// after its fork. Locks exclude. A channel serves its waiters first come
// first served, so the operations of each side start in their recorded order;
// then each element keeps its number and goes to the receive that got it.
// Wait returns when the counter is zero, Once.Do when the function has
// returned, Cond.Wait when a signal took it from the queue. An await comes
// after the posts of its token that it followed, one of token 0 after all
// that it followed. These are the rules of the Go memory model, as far as
// they decide what can happen.
//
// # The reads that matter
//
// A goroutine goes on as recorded only if its decisions are based on the
// recorded values. The value of a read at a site with [trace.Site.OnlyStored]
// only flows, by stores and local variables, into memory. Within its statement
// it flows into no branch, address, index or call. Every other read
// must read what it read in the trace: the same value, if the trace has
// values, else what the same event wrote.
//
// A local variable may carry the value of such a read into an address later.
// If the recorded value is an address, the goroutine must read it before it
// accesses the memory there.
//
// The value of a read at a site with [trace.Site.IsUpdate] flows only into the
// memory that it came from: it is half of an x.n++. If it reads another value,
// only that memory is unknown after the store, and the goroutine goes on as
// recorded. The store is the goroutine's next event that is not a read, if it
// writes the same memory. An atomic read-modify-write whose result is not used
// is both halves in one.
//
// For a tracked read ([dataflow.Flow]), formulas have all uses of its value.
// So it may read any value: the judge computes the stores and conditions that
// follow from it, and the conditions must come out as recorded. So an assertion
// can be judged, too: it is violated if its condition comes out differently in
// the state before it. A release is a violation by itself if the lock is free.
//
// A branch whose control scope has ended may come out differently
// ([dataflow.Scopes], after Chen and Roşu, 2005). Then the steps leave out the
// events within its scope. The judge must know that the branch comes out
// differently, and the other arm must have no effect outside the scope. Events
// that were left out have not happened: their writes are not in memory.
//
// If any other read of a value that only flows into memory reads another
// value, its goroutine is tainted: its later writes and sends are unknown, and
// goroutines that it starts or that receive from it are tainted too. A tainted
// goroutine cannot pass a branch, an assertion or a panic, and no read that
// matters may see its writes. This is control-flow-aware maximal causality (Huang,
// Meredith, Rosu, PLDI 2014), with data dependence through memory
// approximated from above.
//
// # Limits
//
// A trace lacks some things. Then the judge accepts the schedule, and the
// replay decides. It does not know the channels of the cases that a select did
// not choose, whether a TryLock failed, writes of code that is not instrumented,
// and addresses and indices that depend on a read of more than a word, or in
// other ways than by a pointer. Memory that the allocator re-used counts as one
// variable, so that the judge may reject a schedule that is possible.
package feasible
