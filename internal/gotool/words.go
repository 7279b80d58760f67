package gotool

import (
	"fmt"
	"strings"
)

// SplitWords splits a list of words as the go command does in GOFLAGS and
// -exec: at white space, where a word may stand in single or double quotes as
// a whole.
func SplitWords(s string) ([]string, error) {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return words, nil
		}
		if q := s[0]; q == '\'' || q == '"' {
			end := strings.IndexByte(s[1:], q)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c in %q", q, s)
			}
			words = append(words, s[1:1+end])
			s = s[end+2:]
			continue
		}
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		words = append(words, s[:end])
		s = s[end:]
	}
}

// JoinWords is the inverse of [SplitWords]. It fails for a word that holds
// both kinds of quotes, which the go command has no way to write.
func JoinWords(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\r\n'\""):
			quoted[i] = w
		case !strings.Contains(w, "'"):
			quoted[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			quoted[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("%q cannot be quoted for the go command: it holds both ' and \"", w)
		}
	}
	return strings.Join(quoted, " "), nil
}
