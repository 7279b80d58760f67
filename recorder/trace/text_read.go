package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// byWord finds kinds by the words of the table.
var byWord = func() map[string]Kind {
	m := map[string]Kind{}
	for k := None + 1; k < NumKinds; k++ {
		m[specs[k].Word] = k
	}
	return m
}()

// KindOf returns the kind that the text form has a word for; ok is false if there is
// none.
func KindOf(word string) (k Kind, ok bool) {
	k, ok = byWord[word]
	return k, ok
}

// ReadText reads the text form that [WriteText] writes. The trace that it
// returns is never nil and holds what stands before the first line that does
// not parse; the error is then a [*FormatError] with the number of the line.
// What [Decode] guarantees of events holds here too.
func ReadText(r io.Reader) (*Trace, error) {
	t := &Trace{Sites: map[SiteID]Site{}}
	b := bufio.NewReader(r)
	for n := int64(1); ; n++ {
		line, err := readLine(b)
		if err == errLongLine {
			return t, longLine(n)
		}
		if err != nil && err != io.EOF {
			return t, err
		}
		if n == 1 && strings.TrimSpace(line) != textMagic {
			return t, &FormatError{text: true, Offset: n, Expected: fmt.Sprintf("%q", textMagic), Found: fmt.Sprintf("%.80q", line)}
		}
		if n > 1 {
			if lerr := t.parseLine(line); lerr != nil {
				t.settleHeld(Event{})
				lerr.text, lerr.Offset = true, n
				return t, lerr
			}
		}
		if err == io.EOF {
			t.settleHeld(Event{})
			return t, nil
		}
	}
}

// maxTextLine is the length of the longest line of a trace's text forms, in bytes.
const maxTextLine = 1 << 20

var errLongLine = errors.New("line too long")

// longLine is the error of line n.
func longLine(n int64) error {
	return &FormatError{text: true, Offset: n, Expected: fmt.Sprintf("a line of at most %d bytes", maxTextLine), Found: "a longer one"}
}

// readLine reads a line, with its end, or what is left.
func readLine(b *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxTextLine {
			return "", errLongLine
		}
		if err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

// parseLine adds one line to the trace. Its error lacks the line's number.
func (t *Trace) parseLine(line string) *FormatError {
	word, a, err := splitLine(line)
	if err != nil {
		return err
	}
	switch word {
	case "": // a comment, or nothing
	case metaWord:
		t.Meta = Meta{Go: a.string("go"), Dir: a.string("dir"), Binary: a.string("binary"), Limit: a.number("limit", 64)}
	case cutWord:
		t.Cuts = append(t.Cuts, Cut{Test: a.string("test"), LacksSync: a.word("sync")})
	case unseenWord:
		t.HiddenInputs = append(t.HiddenInputs, HiddenInput{Test: a.string("test"), Source: a.string("what")})
	case testedWord:
		e := TestEvent{a.string("action"), a.string("test"), a.string("output"), time.Duration(a.number("elapsed", 63))}
		if err := e.sound(); err != nil {
			a.fail(err.Error(), fmt.Sprintf("%+v", e))
			break
		}
		t.TestEvents = append(t.TestEvents, e)
	case textWord:
		t.text(a.number("digest", 64), a.string("is"))
	case freedWord:
		t.Freed = append(t.Freed, FreedObjects{FirstAddr: a.number("obj", 64), Size: uint32(a.number("size", 32)), Mask: a.number("which", 64), Position: int32(len(t.Events))})
	case heldWord:
		t.hold(a.number("val", 64))
	case nameWord:
		t.TestNames = append(t.TestNames, a.string("name"))
	case goroutineWord:
		t.parseGoroutine(a)
	case siteWord:
		id := SiteID(a.number("id", 32))
		s := Site{
			ID: id, Key: a.number("key", 64), Func: a.string("func"), File: a.string("file"),
			Line: int(a.number("line", 32)), Col: int(a.number("col", 32)),
			Op: a.string("op"), Expr: a.string("expr"), Type: a.valueType(), OnlyStored: a.word("data"), IsUpdate: a.word("update"),
			OnlyInFormulas: a.word("tracked"), FailureEndsGoroutine: a.word("stops"), Formula: a.string("formula"),
			Scope: Scope{int(a.number("scope", 32)), a.word("iftrue"), a.word("iffalse"), a.word("calls")},
		}
		if a.word("failsfalse") {
			s.FailsIf = IfFalse
		}
		if a.word("failstrue") {
			s.FailsIf = IfTrue
		}
		t.Sites[id] = s
	case completeWord:
		t.Complete = true
	default:
		t.parseEvent(word, a)
	}
	return a.done()
}

func (t *Trace) parseGoroutine(a *attributes) {
	g := Goroutine{
		ID: GID(a.number("id", 32)), Parent: GID(a.number("parent", 32)), Site: SiteID(a.number("site", 32)),
		Test: a.string("test"), Path: a.string("path"),
	}
	if int(g.ID) != len(t.Goroutines) {
		a.fail(fmt.Sprintf("goroutine %d", len(t.Goroutines)), fmt.Sprint(g.ID))
	}
	if a.err == nil {
		t.Goroutines = append(t.Goroutines, g)
	}
}

func (t *Trace) parseEvent(word string, a *attributes) {
	g, err := strconv.ParseUint(word, 10, 32)
	if err != nil {
		a.fail("meta, cut, unseen, tested, text, test, goroutine, site, freed, held, complete, or a goroutine's number", fmt.Sprintf("%.40q", word))
		return
	}
	kind, ok := byWord[a.first()]
	if !ok {
		a.fail("an event kind after the goroutine", fmt.Sprintf("%.40q", a.first()))
		return
	}
	a.word(a.first())
	e := Event{
		Kind: kind, G: GID(g), Obj: a.number("obj", 64), Size: uint32(a.number("size", 32)), Val: a.number("val", 64),
		Site: SiteID(a.number("site", 32)), Flags: Flags(a.number("flags", 8)), Skipped: uint16(a.number("skipped", 16)),
	}
	for _, f := range flagWords {
		if a.word(f.word) {
			e.Flags |= f.flag
		}
	}
	if expected, found := t.sound(&e); expected != "" {
		a.fail(expected, found)
	}
	if a.done() == nil {
		t.settleHeld(e)
		t.Events = append(t.Events, e)
	}
}

// attributes are the rest of a line: words, and key=value pairs. Whoever takes
// one removes it; what is left in the end was not understood.
type attributes struct {
	list []attribute
	err  *FormatError
}

type attribute struct {
	key, val string
	lone     bool // there is no value
}

// splitLine splits a line at its spaces and drops its comment.
func splitLine(line string) (string, *attributes, *FormatError) {
	a := &attributes{}
	first := ""
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimLeft(rest, " \t") {
		end := strings.IndexAny(rest, " \t=")
		if end < 0 {
			end = len(rest)
		}
		at := attribute{key: rest[:end], lone: true}
		rest = rest[end:]
		if strings.HasPrefix(rest, "=") {
			var err error
			at.lone = false
			at.val, rest, err = takeValue(rest[1:])
			if err != nil {
				return "", nil, &FormatError{Expected: fmt.Sprintf("a value after %.40q", at.key), Found: err.Error()}
			}
		}
		if first == "" && at.lone {
			first = at.key
			continue
		}
		a.list = append(a.list, at)
	}
	return first, a, nil
}

// takeValue takes a quoted string, or what goes up to the next space.
func takeValue(s string) (val, rest string, err error) {
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

func (a *attributes) fail(expected, found string) {
	if a.err == nil {
		a.err = &FormatError{Expected: expected, Found: found}
	}
}

// take removes the attribute with the key, with a value or without.
func (a *attributes) take(key string, lone bool) (val string, ok bool) {
	for i, at := range a.list {
		if at.key == key && at.lone == lone {
			a.list = slices.Delete(a.list, i, i+1)
			return at.val, true
		}
	}
	return "", false
}

// string takes a string, "" if it is not there.
func (a *attributes) string(key string) string {
	val, _ := a.take(key, false)
	return val
}

// number takes a number of so many bits, 0 if it is not there.
func (a *attributes) number(key string, bits int) uint64 {
	val, ok := a.take(key, false)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(val, 0, bits)
	if err != nil {
		a.fail(fmt.Sprintf("a number up to %d for %s", uint64(math.MaxUint64)>>(64-bits), key), fmt.Sprintf("%.40q", val))
	}
	return n
}

// word takes a lone word.
func (a *attributes) word(key string) bool {
	_, ok := a.take(key, true)
	return ok
}

// valueType takes the type of a site's values.
func (a *attributes) valueType() Type {
	word := a.string("type")
	t, ok := parseType(word)
	if !ok {
		a.fail("a type such as bool", word)
	}
	return t
}

// first is the first word that is left.
func (a *attributes) first() string {
	if len(a.list) == 0 || !a.list[0].lone {
		return ""
	}
	return a.list[0].key
}

// done fails if something is left.
func (a *attributes) done() *FormatError {
	if len(a.list) > 0 {
		a.fail("nothing but the words of this line, each once", fmt.Sprintf("%.40q", a.list[0].key))
	}
	return a.err
}
