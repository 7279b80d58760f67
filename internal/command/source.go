package command

import (
	"os"
	"strings"
)

// sources reads lines of source files, each file once.
type sources map[string][]string

// line returns a line, from 1, of a file; "" if there is none.
func (s sources) line(file string, line int) string {
	lines, ok := s[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		s[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}
