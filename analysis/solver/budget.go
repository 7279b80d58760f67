package solver

// A Budget is the work that questions may still do. Each question takes its steps off. There is no
// clock in it, so that the same questions get the same answers on each machine, however busy it is.
// A nil Budget is no limit.
type Budget struct {
	// Steps are pieces of work of similar size, such as looking at a literal of a clause or at an
	// edge.
	Steps int64
	// Memory is how much one engine may hold, in bytes, by its own estimate; 0 is no limit.
	Memory int64

	parent *Budget // the budget that this one is a part of
}

// Part returns a budget of at most so many steps, which come out of b.
func (b *Budget) Part(steps int64) *Budget {
	if b == nil {
		return &Budget{Steps: steps}
	}
	return &Budget{Steps: min(steps, b.Steps), Memory: b.Memory, parent: b}
}

// Share returns one of n parts of what is left of b, which comes out of b.
func (b *Budget) Share(n int64) *Budget {
	if b == nil {
		return nil
	}
	return b.Part(b.Steps / n)
}

// Spend takes steps off b and the budgets that it is a part of.
func (b *Budget) Spend(steps int64) {
	for ; b != nil; b = b.parent {
		b.Steps -= steps
	}
}

// Over reports whether no steps are left.
func (b *Budget) Over() bool { return b != nil && b.Steps <= 0 }

// copy returns a budget like b that is a part of nothing, for another engine that answers the same
// question.
func (b *Budget) copy() *Budget {
	if b == nil {
		return nil
	}
	return &Budget{Steps: b.Steps, Memory: b.Memory}
}
