// Package mapsclone has memory that the standard library reads and writes for its callers.
package mapsclone

import (
	"maps"
	"sync"
	"testing"
)

type conf struct {
	mu sync.RWMutex
	m  map[string]string
}

func (c *conf) get() map[string]string {
	c.mu.RLock()
	m := c.m
	c.mu.RUnlock()
	return maps.Clone(m)
}

func (c *conf) set(k, v string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

//want:race
func TestGetWhileSetting(t *testing.T) {
	c := &conf{m: map[string]string{"level": "info"}}
	var wg sync.WaitGroup
	wg.Go(func() {
		if c.get()["level"] == "" {
			t.Error("no level")
		}
	})
	wg.Go(func() { c.set("file", "x.log") })
	wg.Wait()
}
