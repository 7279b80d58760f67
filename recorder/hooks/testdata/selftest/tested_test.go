package selftest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What package testing says of a test, of each sort.
func TestTested(t *testing.T) {
	if os.Getenv("TESTED") == "" {
		return
	}
	t.Run("fails", func(t *testing.T) {
		t.Error("two\nlines")
		fmt.Fprint(t.Output(), "no end")
	})
	t.Run("skips", func(t *testing.T) { t.Skip("no reason") })
	t.Run("bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Hour)
			t.Log("inside")
		})
	})
	t.Run("talks", func(t *testing.T) {
		for range 100 {
			t.Log(strings.Repeat("x", 5000))
		}
	})
}

func Example_tested() {
	fmt.Println("one")
	// Output: two
}
