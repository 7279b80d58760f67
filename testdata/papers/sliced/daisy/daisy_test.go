package daisy

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestDaisy(t *testing.T)  { users(t, New(), 3) }
func TestDaisy2(t *testing.T) { users(t, NewInMemory(), 3) }

// users are two who each write to a file of their own, then make files in one directory, one
// after the other, each its own, and use one of both.
func users(t *testing.T, fs *FS, files int) {
	shared, err := fs.Create(root, "all")
	if err != nil {
		t.Fatal(err)
	}
	var own [2]int
	for n := range own {
		if own[n], err = fs.Create(root, string(rune('x'+n))); err != nil {
			t.Fatal(err)
		}
	}
	var both sync.WaitGroup
	for n := range 2 {
		both.Go(func() {
			time.Sleep(time.Duration(30*n) * time.Millisecond)
			text := bytes.Repeat([]byte{byte('a' + n)}, 40)
			if err := fs.Write(own[n], 0, text); err != nil {
				t.Error(err)
			}
			for k := range files {
				name := fmt.Sprintf("%c%d", 'a'+n, k)
				f, err := fs.Create(root, name)
				if err != nil {
					t.Error(err)
					return
				}
				if err := fs.Write(f, 0, text); err != nil {
					t.Error(err)
				}
				if got, err := fs.Read(f, 0, 40); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s: got %q, %v", name, got, err)
				}
				if err := fs.Write(shared, 20*k, text[:20]); err != nil {
					t.Error(err)
				}
				if at, err := fs.Lookup(root, name); err != nil || at != f {
					t.Errorf("%s: got inode %d, %v", name, at, err)
				}
			}
			if err := fs.Unlink(root, fmt.Sprintf("%c0", 'a'+n)); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if size := fs.Size(shared); size != 20*files {
		t.Errorf("the file of both has %d bytes, want %d", size, 20*files)
	}
}
