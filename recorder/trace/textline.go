package trace

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file lists the attributes of each kind of line of the text form once, for the reader and the
// writer.

// An attribute is a word of a line of the text form, or a pair key=value. The field points to what it
// is about.
type attribute struct {
	key   string
	field any
	// format is how numbers are written. Optional attributes are left out if the field is zero.
	format   string
	optional bool
}

func required(key string, field any) attribute { return attribute{key, field, "%d", false} }
func optional(key string, field any) attribute { return attribute{key, field, "%d", true} }

// hex returns a with numbers in hexadecimal.
func (a attribute) hex() attribute {
	a.format = "%#x"
	return a
}

func (m *Meta) attributes() []attribute {
	return []attribute{required("go", &m.Go), required("dir", &m.Dir), required("binary", &m.Binary), optional("limit", &m.Limit)}
}

func (c *Cut) attributes() []attribute {
	return []attribute{required("test", &c.Test), optional("sync", &c.LacksSync)}
}

func (h *HiddenInput) attributes() []attribute {
	return []attribute{required("test", &h.Test), required("what", &h.Source)}
}

func (e *TestEvent) attributes() []attribute {
	return []attribute{required("action", &e.Action), required("test", &e.Test), required("output", &e.Output), required("elapsed", &e.Elapsed)}
}

func (f *FreedObjects) attributes() []attribute {
	return []attribute{required("obj", &f.FirstAddr).hex(), required("size", &f.Size), required("which", &f.Mask).hex()}
}

func (g *Goroutine) attributes() []attribute {
	return []attribute{required("id", &g.ID), required("parent", &g.Parent), required("site", &g.Site).hex(), required("test", &g.Test), required("path", &g.Path)}
}

func (s *Site) attributes() []attribute {
	return []attribute{
		required("id", &s.ID).hex(), required("key", &s.Key).hex(), required("func", &s.Func), required("file", &s.File), required("line", &s.Line),
		optional("col", &s.Col), optional("op", &s.Op), optional("expr", &s.Expr), optional("type", &s.Type),
		optional("data", &s.OnlyStored), optional("update", &s.IsUpdate), optional("tracked", &s.OnlyInFormulas),
		optional("fails", &s.FailsIf), optional("stops", &s.FailureEndsGoroutine),
		optional("scope", &s.Scope.LastLine), optional("iftrue", &s.Scope.HarmlessIfTrue), optional("iffalse", &s.Scope.HarmlessIfFalse),
		optional("calls", &s.Scope.HasCalls), optional("formula", &s.Formula),
	}
}

// attributes lists those after the goroutine and the kind, except the flags.
func (e *Event) attributes() []attribute {
	return []attribute{
		optional("obj", &e.Obj).hex(), optional("skipped", &e.Skipped), optional("size", &e.Size),
		optional("val", &e.Val), optional("site", &e.Site).hex(),
	}
}

// outcomeWords follow "fails" in a line.
var outcomeWords = [...]string{IfFalse: "false", IfTrue: "true"}

// writeAttributes writes the attributes of a line, each after a space.
func writeAttributes(b *bufio.Writer, attributes []attribute) {
	for _, a := range attributes {
		v := reflect.ValueOf(a.field).Elem()
		if a.optional && v.IsZero() {
			continue
		}
		switch field := a.field.(type) {
		case *bool:
			fmt.Fprintf(b, " %s", a.key)
		case *Outcome:
			fmt.Fprintf(b, " %s%s", a.key, outcomeWords[*field])
		case *string, *Type:
			fmt.Fprintf(b, " %s=%q", a.key, v.Interface())
		default:
			fmt.Fprintf(b, " %s="+a.format, a.key, v.Interface())
		}
	}
}

// words are the rest of a line: lone words, and pairs key=value. Whoever reads one removes it; what
// is left in the end was not understood.
type words struct {
	list []word
	err  *FormatError
}

type word struct {
	key, val string
	hasValue bool
}

// read reads the attributes of a line into their fields.
func (w *words) read(attributes []attribute) {
	for _, a := range attributes {
		switch field := a.field.(type) {
		case *bool:
			*field = w.lone(a.key)
		case *string:
			*field = w.string(a.key)
		case *Type:
			text := w.string(a.key)
			k := slices.Index(typeWords[:], text)
			if k < 0 {
				w.fail("a type such as bool", text)
			}
			*field = Type(max(k, 0))
		case *Outcome:
			for outcome := IfFalse; outcome <= IfTrue; outcome++ {
				if w.lone(a.key + outcomeWords[outcome]) {
					*field = outcome
				}
			}
		case *int: // a line or column
			*field = int(w.number(a.key, 32))
		case *time.Duration:
			*field = time.Duration(w.number(a.key, 63))
		default:
			v := reflect.ValueOf(field).Elem()
			v.SetUint(w.number(a.key, v.Type().Bits()))
		}
	}
}

// splitLine splits a line at its spaces and drops its comment. It returns the first lone word by
// itself.
func splitLine(line string) (first string, w *words, err *FormatError) {
	w = &words{}
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimLeft(rest, " \t") {
		end := strings.IndexAny(rest, " \t=")
		if end < 0 {
			end = len(rest)
		}
		next := word{key: rest[:end]}
		rest = rest[end:]
		if strings.HasPrefix(rest, "=") {
			var err error
			next.hasValue = true
			next.val, rest, err = cutValue(rest[1:])
			if err != nil {
				return "", nil, &FormatError{Expected: fmt.Sprintf("a value after %.40q", next.key), Found: err.Error()}
			}
		}
		if first == "" && !next.hasValue {
			first = next.key
			continue
		}
		w.list = append(w.list, next)
	}
	return first, w, nil
}

// cutValue cuts a quoted string off s, or what precedes the next space.
func cutValue(s string) (val, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", errors.New("a string without its second quote")
		}
		val, err = strconv.Unquote(q)
		return val, s[len(q):], err
	}
	end := strings.IndexAny(s, " \t")
	if end < 0 {
		end = len(s)
	}
	if end == 0 {
		return "", "", errors.New("none")
	}
	return s[:end], s[end:], nil
}

func (w *words) fail(expected, found string) {
	if w.err == nil {
		w.err = &FormatError{Expected: expected, Found: found}
	}
}

// take removes the word with the key, with a value or without.
func (w *words) take(key string, hasValue bool) (val string, ok bool) {
	k := slices.IndexFunc(w.list, func(o word) bool { return o.key == key && o.hasValue == hasValue })
	if k < 0 {
		return "", false
	}
	val = w.list[k].val
	w.list = slices.Delete(w.list, k, k+1)
	return val, true
}

// string takes a string, "" if it is not there.
func (w *words) string(key string) string {
	val, _ := w.take(key, true)
	return val
}

// number takes a number of so many bits, 0 if it is not there.
func (w *words) number(key string, bits int) uint64 {
	val, ok := w.take(key, true)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(val, 0, bits)
	if err != nil {
		w.fail(fmt.Sprintf("a number up to %d for %s", uint64(math.MaxUint64)>>(64-bits), key), fmt.Sprintf("%.40q", val))
	}
	return n
}

// lone takes a word without a value, and reports whether it was there.
func (w *words) lone(key string) bool {
	_, ok := w.take(key, false)
	return ok
}

// first returns the first word that is left if it has no value, or else "".
func (w *words) first() string {
	if len(w.list) == 0 || w.list[0].hasValue {
		return ""
	}
	return w.list[0].key
}

// done fails if a word is left.
func (w *words) done() *FormatError {
	if len(w.list) > 0 {
		w.fail("nothing but the words of this line, each once", fmt.Sprintf("%.40q", w.list[0].key))
	}
	return w.err
}
