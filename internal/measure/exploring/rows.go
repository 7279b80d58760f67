package main

import (
	"fmt"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// A row is what was measured of a program, in numbers of runs.
type row struct {
	With              string // the commit with which these were measured; "": not yet
	Explored, Command outcome
	Further           outcome // of many more runs, for what is unseen

	ChanceWith string           // the same of these
	Chance     [len(orders)]int // the median by all seeds, of those until one fails; more than most: it does not
	Plain      int              // of those of go test
}

// An outcome is what the command has shown of a program.
type outcome struct {
	Confirmed  int  // in which run; 0: in none
	Runs       int  // in all
	Complete   bool // all behaviours were seen
	Behaviours int
}

// kept is what a file keeps.
type kept struct {
	Seeds    int
	Programs map[string]*row    // by their tests
	Suites   map[string]outcome // by what suite.String has
	Random   int
	Oracle   string // of as many random programs
}

// load takes over what a file keeps of the programs, and save writes it, as JSON. A file that
// is not there keeps nothing, and that without a name never does.
func (b *bench) load(file string) error {
	var k kept
	if found, err := script.LoadRows(file, "what was measured of programs, as -rows writes it", &k); !found {
		return err
	}
	if k.Seeds != b.seeds {
		return fmt.Errorf("%s: expected rows of %d seeds, as -seeds says, found %d", file, b.seeds, k.Seeds)
	}
	if k.Random == b.random {
		b.oracle = k.Oracle
	}
	b.suites = k.Suites
	for _, p := range b.programs {
		if r := k.Programs[p.test]; r != nil {
			p.row = r
		}
	}
	return nil
}

func (b *bench) save(file string) error {
	k := kept{Seeds: b.seeds, Programs: make(map[string]*row), Suites: b.suites, Random: b.random, Oracle: b.oracle}
	for _, p := range b.programs {
		if p.With != "" || p.ChanceWith != "" {
			k.Programs[p.test] = p.row
		}
	}
	return script.SaveRows(file, k)
}
