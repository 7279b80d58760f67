package outside

import (
	"os"
	"runtime"
	"testing"
)

// The environment belongs to the process.
func TestEnvironment(t *testing.T) {
	t.Setenv("READY", "")
	data := 0
	go func() {
		data = 1
		os.Setenv("READY", "yes")
	}()
	for os.Getenv("READY") == "" {
		runtime.Gosched()
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// The goroutine is gone once it has done its work.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	data := 0
	go func() { data = 1 }()
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}
