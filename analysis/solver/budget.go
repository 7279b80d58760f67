package solver

// A Budget is what questions may still take. Each takes off the steps that it
// took. There is no clock in it: the same questions get the same answers on each
// machine, however busy that is. nil is no limit.
type Budget struct {
	// Steps are pieces of work of about the same size, as a look at a literal of
	// a clause or at an edge between events.
	Steps int64
	// Memory is what one engine may hold, in bytes, as it estimates; 0 is no limit.
	Memory int64

	whole *Budget // what this one is a part of
}

// Second is how many steps take an ordinary core about one second.
const Second = 50_000_000

// Part returns a budget of at most so many steps, which come out of b.
func (b *Budget) Part(steps int64) *Budget {
	if b == nil {
		return &Budget{Steps: steps}
	}
	return &Budget{Steps: min(steps, b.Steps), Memory: b.Memory, whole: b}
}

// Share returns one of n parts of what is left of b, which comes out of b.
func (b *Budget) Share(n int64) *Budget {
	if b == nil {
		return nil
	}
	return b.Part(b.Steps / n)
}

// Spend takes steps off b and what it is a part of.
func (b *Budget) Spend(steps int64) {
	for ; b != nil; b = b.whole {
		b.Steps -= steps
	}
}

// Over reports whether no steps are left.
func (b *Budget) Over() bool { return b != nil && b.Steps <= 0 }

// again returns a budget like b that comes out of nothing: for another engine
// that answers the same question.
func (b *Budget) again() *Budget {
	if b == nil {
		return nil
	}
	return &Budget{Steps: b.Steps, Memory: b.Memory}
}
