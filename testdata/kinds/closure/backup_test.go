package closure

import (
	"errors"
	"testing"
	"time"
)

func TestSave(t *testing.T) {
	backup := &Backup{
		Pack: func(data string) string {
			time.Sleep(5 * time.Millisecond)
			return data
		},
		Local:  func(string) error { return nil },
		Remote: func(string) error { return errors.New("no room left") },
	}
	if err := backup.Save("data"); err != nil {
		t.Errorf("the local copy failed: %v", err)
	}
	backup.Wait()
}
