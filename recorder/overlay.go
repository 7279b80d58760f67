package recorder

import (
	"encoding/json"
	"maps"
	"os"
)

// writeOverlay writes the go command's -overlay file for the union of the
// replacements, from a file's path to that of its new content.
func writeOverlay(path string, replacements ...map[string]string) error {
	all := make(map[string]string)
	for _, r := range replacements {
		maps.Copy(all, r)
	}
	data, err := json.MarshalIndent(struct{ Replace map[string]string }{all}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
