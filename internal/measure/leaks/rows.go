package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// load takes over what a file keeps of the cases, and save writes it: as JSON, the outcomes
// of each case by its name. A file that is not there keeps nothing, and that without a name
// never does.
func (s *suite) load(file string) error {
	text, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows := make(map[string][]*outcome)
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("%s: expected the outcomes of cases, as -rows writes them: %w", file, err)
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
	if file == "" {
		return nil
	}
	rows := make(map[string][]*outcome)
	for _, c := range s.cases {
		if len(c.outcomes) > 0 {
			rows[c.name] = c.outcomes
		}
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
