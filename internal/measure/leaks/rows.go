package main

import (
	"fmt"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// load takes over what a file keeps of the cases, and save writes it: as JSON, the outcomes
// of each case by its name. A file that is not there keeps nothing, and that without a name
// never does.
func (s *suite) load(file string) error {
	var rows map[string][]*outcome
	if found, err := script.LoadRows(file, "the outcomes of cases, as -rows writes them", &rows); !found {
		return err
	}
	for _, c := range s.cases {
		c.outcomes = rows[c.name]
		delete(rows, c.name)
	}
	for name := range rows {
		return fmt.Errorf("%s: %s is no case of this Go release: remove it there", file, name)
	}
	return nil
}

func (s *suite) save(file string) error {
	rows := make(map[string][]*outcome)
	for _, c := range s.cases {
		if len(c.outcomes) > 0 {
			rows[c.name] = c.outcomes
		}
	}
	return script.SaveRows(file, rows)
}
