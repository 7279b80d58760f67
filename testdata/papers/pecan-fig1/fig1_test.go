// Package fig1 is Figure 1 of Huang and Zhang, "Persuasive Prediction of
// Concurrency Access Anomalies" (PECAN), ISSTA 2011. The sleeps make every
// ordinary run take the order ⟨1,5,2,3,6,7⟩ of the paper's section 2; nothing
// else orders the two threads.
package fig1

import (
	"sync"
	"testing"
	"time"
)

var x, y int

func TestFigure1(t *testing.T) {
	x, y = 0, 0
	var threads sync.WaitGroup
	threads.Add(2)
	go func() { // T1
		defer threads.Done()
		time.Sleep(3 * time.Millisecond) // 1
		if x == 1 {                      // 2
			if y == 1 { // 3
				t.Error("ERROR") // 4
			}
		}
	}()
	go func() { // T2
		defer threads.Done()
		x = 1 // 5
		time.Sleep(6 * time.Millisecond)
		x = 0 // 6
		y = 1 // 7
	}()
	threads.Wait()
}
