// Package lazyinit loads settings at their first use, with a double-checked
// lock whose first check is not under the lock.
package lazyinit

import "sync"

// Config is what the settings say.
type Config struct {
	Name string
}

// Settings loads a Config when it is first asked for it.
type Settings struct {
	mu     sync.Mutex
	config *Config

	page   sync.Mutex
	status string // guarded by page: shown on the monitoring page
}

// Get returns the configuration.
func (s *Settings) Get() *Config {
	s.setStatus("busy")
	defer s.setStatus("idle")
	if s.config != nil {
		return s.config
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config == nil {
		s.config = &Config{}
		s.config.Name = "gopher"
	}
	return s.config
}

func (s *Settings) setStatus(status string) {
	s.page.Lock()
	s.status = status
	s.page.Unlock()
}
