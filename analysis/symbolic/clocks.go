package symbolic

// mustClocks are vector clocks of what must precede what in each run: for each node and each other
// goroutine, one more than the position of that goroutine's last event that must come before.
// Nodes of one goroutine share a clock up to the next node that waits for another goroutine.
type mustClocks struct {
	column []int32 // by goroutine: its column, or none
	width  int     // columns
	of     []int32 // by node: the number of its clock
	chunks [][]int32
	made   int32 // clocks so far
}

// clockChunk is how many clocks are allocated at a time.
const clockChunk = 32

// new makes a clock that nothing precedes.
func (c *mustClocks) new() int32 {
	if c.made%clockChunk == 0 {
		c.chunks = append(c.chunks, make([]int32, clockChunk*c.width))
	}
	c.made++
	return c.made - 1
}

// numbers returns the columns of a clock.
func (c *mustClocks) numbers(clock int32) []int32 {
	return c.chunks[clock/clockChunk][int(clock%clockChunk)*c.width:][:c.width]
}

// join adds to a clock an event, in its column, and what precedes that by the event's own clock.
func (c *mustClocks) join(numbers []int32, clock, column, event int32) {
	for k, v := range c.numbers(clock) {
		numbers[k] = max(numbers[k], v)
	}
	numbers[column] = max(numbers[column], event+1)
}
