package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The handler does not wait for what writes its response.
func TestResponse(t *testing.T) {
	var all sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Go(func() {
			fmt.Fprint(w, "late")
		})
		time.Sleep(10 * time.Millisecond)
	}))
	defer s.Close()
	resp, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	all.Wait()
}

// Nor for what reads its request.
func TestBody(t *testing.T) {
	var all sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Go(func() {
			io.ReadAll(r.Body)
		})
		time.Sleep(10 * time.Millisecond)
	}))
	defer s.Close()
	resp, err := http.Post(s.URL, "text/plain", strings.NewReader("a message"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	all.Wait()
}

// What a goroutine writes down is lost if it comes after the commit.
func TestTransaction(t *testing.T) {
	tx, err := open(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var all sync.WaitGroup
	all.Go(func() {
		tx.Exec("INSERT")
	})
	time.Sleep(10 * time.Millisecond)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
}

// Who reads the rows is told of their end.
func TestRows(t *testing.T) {
	rows, err := open(t).Query("SELECT")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var all sync.WaitGroup
	all.Go(func() {
		for rows.Next() {
			n++
		}
	})
	time.Sleep(10 * time.Millisecond)
	rows.Close()
	all.Wait()
	if n != 3 {
		t.Errorf("got %d rows, want 3", n)
	}
}

func TestStatement(t *testing.T) {
	stmt, err := open(t).Prepare("INSERT")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := stmt.Exec(); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	stmt.Close()
	all.Wait()
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A goroutine writes to a buffer that may be another's.
func TestPool(t *testing.T) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	var all sync.WaitGroup
	all.Go(func() {
		b.WriteString("late")
	})
	time.Sleep(10 * time.Millisecond)
	pool.Put(b)
	all.Wait()
}

// What the buffer has held is read when that is used again.
func TestReset(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("first")
	kept := b.Bytes()
	var all sync.WaitGroup
	all.Go(func() {
		if string(kept) != "first" {
			t.Errorf("got %q", kept)
		}
	})
	time.Sleep(10 * time.Millisecond)
	b.Reset()
	b.WriteString("again")
	all.Wait()
}

// A test does not wait for what tells of it.
func TestEnd(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		go t.Log("late")
		time.Sleep(10 * time.Millisecond)
	})
}

// Add may come when Wait has found that there is nobody to wait for.
func TestGroup(t *testing.T) {
	var all sync.WaitGroup
	begun := make(chan bool, 1)
	work := func() {
		all.Add(1)
		begun <- true
		all.Done()
	}
	go work()
	time.Sleep(10 * time.Millisecond)
	all.Wait()
	<-begun
}

// A file is closed while a goroutine may still write to it.
func TestFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := f.WriteString("late"); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	f.Close()
	all.Wait()
}

// The result depends on whether the context was cancelled before, which is a failure and no misuse.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if err := ctx.Err(); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	cancel()
	all.Wait()
}
