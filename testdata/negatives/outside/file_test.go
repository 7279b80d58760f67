// Package outside hands data over by ways that no trace shows.
package outside

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The file is there once the data is.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ready")
	data := 0
	go func() {
		data = 1
		os.WriteFile(name, nil, 0o666)
	}()
	for _, err := os.Stat(name); err != nil; _, err = os.Stat(name) {
		time.Sleep(time.Millisecond)
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// A folder can be made once only: whoever makes it has the lock.
func TestFolder(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	data, done := 0, make(chan bool)
	add := func() {
		for os.Mkdir(lock, 0o777) != nil {
			time.Sleep(time.Millisecond)
		}
		data++
		os.Remove(lock)
		done <- true
	}
	go add()
	go add()
	<-done
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

// A lock on a file of two descriptors.
func TestFileLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	data, done := 0, make(chan bool)
	add := func() {
		f, err := os.Create(name)
		if err == nil {
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			t.Error(err)
		}
		data++
		f.Close()
		done <- true
	}
	go add()
	go add()
	<-done
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}
