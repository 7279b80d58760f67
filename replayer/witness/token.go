package witness

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is one field of a line in its written form.
type token struct {
	text   string
	key    string // the name of a name=value field, or ""
	rest   string // the text after the name
	quoted bool
}

// meaning returns the meaning of the field.
func (t token) meaning() (string, error) {
	switch {
	case t.rest == "-" && !t.quoted:
		return "", nil
	case t.quoted:
		v, err := strconv.Unquote(t.rest)
		if err != nil {
			return "", fmt.Errorf("%.60s is not a Go string literal", t.rest)
		}
		return v, nil
	}
	return t.rest, nil
}

// splitFields splits a line into fields. A comment line has none. Fields can be name=value only
// from the sixth on, as expressions can have "=".
func splitFields(line string) ([]token, error) {
	var out []token
	rest := strings.TrimSpace(line)
	if !utf8.ValidString(rest) {
		return nil, errors.New("line is not valid UTF-8")
	}
	for rest != "" {
		if len(out) == 0 && rest[0] == '#' {
			return nil, nil
		}
		var t token
		if len(out) >= 5 {
			if k, after, ok := strings.Cut(rest, "="); ok && k != "" && !strings.ContainsFunc(k, isNoKeyLetter) {
				t.key, t.text, rest = k, k+"=", after
			}
		}
		if strings.HasPrefix(rest, `"`) {
			q, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("string literal has no end: %.60s", rest)
			}
			t.rest, t.quoted, rest = q, true, rest[len(q):]
			if rest != "" && !unicode.IsSpace(firstRune(rest)) {
				return nil, fmt.Errorf("string literal is followed by %.20q, expected a space", rest)
			}
		} else {
			end := strings.IndexFunc(rest, unicode.IsSpace)
			if end < 0 {
				end = len(rest)
			}
			t.rest, rest = rest[:end], rest[end:]
		}
		t.text += t.rest
		out = append(out, t)
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	}
	return out, nil
}

func isNoKeyLetter(r rune) bool { return r < 'a' || r > 'z' }

// isNoNameLetter reports whether no name has r.
func isNoNameLetter(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
