// Package untrusted reads files that strangers may have written, and makes their text safe to print: a
// witness comes with a pull request, a report from another machine. Each format is checked by its
// own reader; this package has what all readers share.
package untrusted

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Open opens a file to read. It must be a regular file, or a link to one, of at most max
// bytes: a pipe or a device may never end, or never begin.
func Open(name string, max int64) (*os.File, error) {
	// Check it before it is opened, too: to open a pipe may block.
	if info, err := os.Stat(name); err == nil {
		if err := checkFile(name, info, max); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkFile(name, info, max)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkFile returns an error if the file is not regular, or too large.
func checkFile(name string, info fs.FileInfo, max int64) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: expected a regular file, found %s", name, describeMode(info.Mode()))
	case info.Size() > max:
		return fmt.Errorf("%s: expected a file of at most %d bytes, found %d", name, max, info.Size())
	}
	return nil
}

// describeMode returns the name of a kind of file that is not regular.
func describeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "none"
}

// Read returns what is in a file, under the conditions of [Open].
func Read(name string, max int64) ([]byte, error) {
	f, err := Open(name, max)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(name, f, max)
}

// ReadAll reads r to its end, which must come after at most max bytes. Name is that of the
// file, for errors. Some files have more in them than their size says.
func ReadAll(name string, r io.Reader, max int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(text)) > max {
		return nil, fmt.Errorf("%s: expected a file of at most %d bytes, found more", name, max)
	}
	return text, nil
}

// Printable returns a text that is safe to print on a terminal. Characters that act there (colours,
// titles, moves of the cursor) are written as %q writes them. Line breaks and tabs stay.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, isAction) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if isAction(r) || r == utf8.RuneError && n == 1 {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func isAction(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

// JSON returns a text in JSON, which is valid, with such characters written as \u in its strings: it
// means the same.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, isAction) {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\r' || !isAction(r) || r == utf8.RuneError && n == 1:
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// Line is [Printable] for a text in one line.
func Line(s string) string { return strings.ReplaceAll(Printable(s), "\n", `\n`) }
