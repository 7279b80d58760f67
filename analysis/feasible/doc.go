// Package feasible is the independent judge of schedules: whether executing
// given events of a trace in a given order, and then standing before given
// other events, is a possible execution of the program, as far as the trace
// tells. It shares no code with the predictors, checks each of their
// schedules before a replay is spent on it, and is the oracle of their tests:
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
// A goroutine goes on as recorded only if what it bases decisions on is as
// recorded. A read whose [trace.Site.OnlyStored] is set only moves data: the value
// read flows, by way of stores and local variables, into memory, and within
// its own statement into no branch, address, index or call. Every other read,
// atomic operation and read at an unknown site must read what it read in the
// trace: the same value, where the trace has values, else what the same event
// wrote.
//
// A local variable may carry what a Data read found into an address later on.
// If the recorded value is an address, the goroutine must read it before it
// touches what lies there.
//
// A read whose [trace.Site.IsUpdate] is set goes into nothing but the memory
// that it came from: it is half of an x.n++. If it reads something else, only
// that memory is unknown from the store on, and the goroutine goes on as
// recorded. The judge finds the store itself: it is the goroutine's next
// event that is not a read, and writes the same memory. An atomic
// read-modify-write whose result nobody uses is both halves in one.
//
// Of a read that is tracked ([dataflow.Flow]) formulas tell all that comes of
// its value. It may find anything; the judge computes what the stores and
// conditions leave and come to that follow from it, and the conditions must
// come out as recorded. So an assertion can be judged: whether its condition,
// in the state in which its goroutine stands there, comes out otherwise. Of a
// release that is a violation by itself the lock must be free.
//
// A branch of which the control scope has ended need not come out as recorded
// ([dataflow.Scopes], after Chen and Roşu, 2005): the steps then leave out
// what was recorded within its scope, if there is anything. It must be known
// to come out otherwise, and the arm that the program takes then must do
// nothing that is seen behind the scope. What was left out has not happened:
// what it wrote is not there.
//
// When another Data read reads something else, its goroutine is tainted: what
// it writes and sends from then on is unknown, goroutines that it starts and
// goroutines that receive from it are tainted too. A tainted goroutine cannot
// pass a branch, an assertion or a panic, and no read that matters may see
// what it wrote. This is control-flow-aware maximal causality (Huang,
// Meredith, Rosu, PLDI 2014), with data dependence through memory
// approximated from above.
//
// # What the judge cannot see
//
// A trace has holes, and where it does the judge says yes: the replay has the
// last word. It does not know the channels of the cases that a select did not
// choose, whether a TryLock failed, writes of code that is not instrumented,
// and addresses and indices that depend on a Data read of more than a word,
// or in ways other than that of a pointer. Memory that the allocator re-used
// counts as one variable, which can turn down a schedule that is possible.
package feasible
