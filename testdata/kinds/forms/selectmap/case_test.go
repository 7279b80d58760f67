// Package selectmap has targets of receives in a select, and a race in each of their files.
package selectmap

import (
	"fmt"
	"sync"
	"testing"
)

type S struct {
	a   int
	arr [2]int
	in  struct{ z int }
}

var gs = []int{1, 2, 3}
var mp = map[int]int{}
var st S
var pst = &st
var gi int
var u uint16

func f(s string) *int { return &gs[0] }
func idx(i int) int   { gi++; return i % 3 }
func mkc() chan int   { return make(chan int, 1) }

func TestS(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {
		gi++
		gs[1]++
		mp[1]++
		st.a++
		st.arr[1]++
		st.in.z++
	})
	wg.Wait()
	c := mkc()
	c <- 5
	select {
	case mp[gi&3] = <-c:
		fmt.Println("x")
	}
	fmt.Println(gs, mp, st, gi)
}
