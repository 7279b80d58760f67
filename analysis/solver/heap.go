package solver

// A heap is the queue of variables to decide, by activity: their part in recent conflicts. Of equal
// activities the lower number comes first.
type heap struct {
	activity []float64
	items    []int32
	index    []int32 // of each variable in items, -1 if it is not there
}

// grow adds a variable, which is not in the heap yet.
func (h *heap) grow() {
	h.activity = append(h.activity, 0)
	h.index = append(h.index, -1)
}

// precedes reports whether a comes out before b. Ties have an order, so that searches are
// repeatable.
func (h *heap) precedes(a, b int32) bool {
	return h.activity[a] > h.activity[b] || h.activity[a] == h.activity[b] && a < b
}

// push puts v in, if it is not there.
func (h *heap) push(v int32) {
	if h.index[v] >= 0 {
		return
	}
	h.index[v] = int32(len(h.items))
	h.items = append(h.items, v)
	h.up(len(h.items) - 1)
}

// pop takes the top out; there must be one.
func (h *heap) pop() int32 {
	top := h.items[0]
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.index[h.items[0]] = 0
	h.items = h.items[:last]
	h.index[top] = -1
	if last > 0 {
		h.down(0)
	}
	return top
}

// up and down move the variable at index i to its place.
func (h *heap) up(i int) {
	v := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.precedes(v, h.items[parent]) {
			break
		}
		h.set(i, h.items[parent])
		i = parent
	}
	h.set(i, v)
}

func (h *heap) down(i int) {
	v := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && h.precedes(h.items[child+1], h.items[child]) {
			child++
		}
		if !h.precedes(h.items[child], v) {
			break
		}
		h.set(i, h.items[child])
		i = child
	}
	h.set(i, v)
}

// set puts v at index i.
func (h *heap) set(i int, v int32) {
	h.items[i] = v
	h.index[v] = int32(i)
}

// bump adds to the activity of v, and scales all down before they exceed a float.
func (h *heap) bump(v int32, by float64) (scaled bool) {
	h.activity[v] += by
	if h.activity[v] > 1e100 {
		for i := range h.activity {
			h.activity[i] *= 1e-100
		}
		scaled = true
	}
	if h.index[v] >= 0 {
		h.up(int(h.index[v]))
	}
	return scaled
}
