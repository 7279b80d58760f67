package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// LoadRows puts into what rows points to what [SaveRows] has written to a file, so that what was
// measured is not measured again. What a file should hold is told where it holds something
// else. A file that is not there is not found, nor is that without a name.
func LoadRows(file, should string, rows any) (found bool, err error) {
	if file == "" {
		return false, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, rows); err != nil {
		return false, fmt.Errorf("%s: expected %s: %w", file, should, err)
	}
	return true, nil
}

// SaveRows writes rows to a file, as JSON; to that without a name, nothing.
func SaveRows(file string, rows any) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
