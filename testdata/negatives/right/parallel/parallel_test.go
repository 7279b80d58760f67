// Package parallel has parallel subtests that use data of their own, and data
// that was ready before they began.
package parallel

import "testing"

var table map[string]int

func init() {
	table = map[string]int{"one": 1, "two": 2, "three": 3}
}

func TestTable(t *testing.T) {
	offset := 0
	offset++
	for name, n := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sum := offset
			for range n {
				sum++
			}
			if sum != table[name]+1 {
				t.Errorf("the sum is %d, want %d", sum, table[name]+1)
			}
		})
	}
}

func TestCleanup(t *testing.T) {
	data := 0
	t.Cleanup(func() {
		if data != 1 {
			t.Errorf("data is %d, want 1", data)
		}
	})
	t.Run("child", func(t *testing.T) {
		t.Parallel()
		data++
	})
}

func TestOne(t *testing.T) {
	t.Parallel()
	if table["one"] != 1 {
		t.Error("one is not 1")
	}
}

func TestTwo(t *testing.T) {
	t.Parallel()
	if table["two"] != 2 {
		t.Error("two is not 2")
	}
}
