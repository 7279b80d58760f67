// Package startup is a shop that loads its exchange rates in the background.
package startup

import "sync"

// A Shop sells in several currencies.
type Shop struct {
	rates map[string]int // cents for one unit of a currency

	mu    sync.Mutex
	steps int // guarded by mu: for the monitoring page
}

// Open opens a shop. The rates are loaded in the background.
func Open() *Shop {
	s := &Shop{}
	go s.loadRates()
	return s
}

func (s *Shop) loadRates() {
	s.rates = map[string]int{"EUR": 108, "GBP": 127}
	s.step()
}

// Price converts an amount of another currency to cents.
func (s *Shop) Price(amount int, currency string) int {
	s.step()
	return amount * s.rates[currency]
}

// step tells the monitoring page that the shop is alive.
func (s *Shop) step() {
	s.mu.Lock()
	s.steps++
	s.mu.Unlock()
}
