package recorder

import (
	"encoding/json"
	"maps"
	"os"
)

// An overlayFile is the content of a file for the go command's -overlay flag.
type overlayFile struct{ Replace map[string]string }

// addToOverlay adds replacements to an overlay file.
func addToOverlay(path string, more map[string]string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var old overlayFile
	if err := json.Unmarshal(data, &old); err != nil {
		return err
	}
	return writeOverlay(path, old.Replace, more)
}

// writeOverlay writes the go command's -overlay file for the union of the
// replacements, from a file's path to that of its new content.
func writeOverlay(path string, replacements ...map[string]string) error {
	all := make(map[string]string)
	for _, r := range replacements {
		maps.Copy(all, r)
	}
	data, err := json.MarshalIndent(overlayFile{all}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
