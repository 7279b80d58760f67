// Package rules has a function for each rule of the sharing analysis. Comments
// say of the expressions on their lines what must come out.
package rules

// T is what most rules are about.
type T struct {
	n, fixed int
	next     *T
	arr      [4]int
	in       struct{ x int }
	f        func()
}

func (t *T) set(n int) { t.n = n }

// Global is assigned by somebody.
var (
	global  *T
	counter int
	table   = map[string]int{"a": 1}
	lookup  = []int{1, 2, 3}
)

func sink(...any) {}

func use(int) {}
