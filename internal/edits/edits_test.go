package edits

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }

const code = `package p

import (
	"sync"
	"time"
)

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Add adds n.
func (c *Counter) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

// Reset makes it n, unless it is that.
func (c *Counter) Reset(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == n {
		return false
	}
	c.n = n
	return true
}

// Value is how far it has come.
func (c *Counter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func each(times int, fs ...func()) (started int) {
	time.Sleep(time.Millisecond)
	var all sync.WaitGroup
	for range times {
		for _, f := range fs {
			started++
			all.Go(f)
		}
	}
	all.Wait()
	return started
}
`

const test = `package p

import "testing"

func TestCounter(t *testing.T) {
	c := new(Counter)
	c.Reset(0)
	for n := range 3 {
		if n > 1 {
			break
		}
	}
	started := each(2, func() { c.Add(1) }, func() { c.Add(2) })
	if got := c.Value(); got != 6 || started != 4 {
		t.Errorf("got %d", got)
	}
}
`

// Each edit finds something to change, on top of those before it, and the test passes then as
// it did.
func TestAll(t *testing.T) {
	for _, c := range []struct {
		name   string
		edits  []Edit
		passes int // tests and subtests
	}{{"moves", moves, 2}, {"forms", forms, 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": code, "p_test.go": test} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
			}
			for _, e := range c.edits {
				changed, err := e.Apply(dir)
				require.NoError(t, err, e.Name)
				assert.True(t, changed, e.Name)
			}
			cmd := exec.Command("go", "test", "-v", ".")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, c.passes, strings.Count(string(out), "--- PASS: TestCounter"), "%s", out)
		})
	}
}
