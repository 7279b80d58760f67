package embedded

import (
	"bytes"
	_ "embed"
	"os"
	"sync"
	"testing"
)

//go:embed count.go
var source []byte

func TestSource(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.Add)
	}
	wg.Wait()
	onDisk, err := os.ReadFile("count.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(source, onDisk) {
		t.Errorf("embedded are %d bytes, on disk are %d", len(source), len(onDisk))
	}
}
