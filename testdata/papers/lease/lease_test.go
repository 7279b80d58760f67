package lease

import "testing"

func TestBorrow(t *testing.T) {
	var tool Tool
	Borrow(&tool)
	if !tool.lent.TryLock() {
		t.Error("the tool is still lent")
	}
}
