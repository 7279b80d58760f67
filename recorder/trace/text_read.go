package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// byWord has the kinds by their words in the text form.
var byWord = func() map[string]Kind {
	m := map[string]Kind{}
	for k := None + 1; k < NumKinds; k++ {
		m[specs[k].Word] = k
	}
	return m
}()

// KindOf returns the kind with a word of the text form; ok is false if there is none.
func KindOf(word string) (k Kind, ok bool) {
	k, ok = byWord[word]
	return k, ok
}

// ReadText reads the text form that [WriteText] writes. The trace that it
// returns is never nil and has the lines before the first one that does
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
				t.settlePriorValue(Event{})
				lerr.text, lerr.Offset = true, n
				return t, lerr
			}
		}
		if err == io.EOF {
			t.settlePriorValue(Event{})
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
	first, w, err := splitLine(line)
	if err != nil {
		return err
	}
	switch first {
	case "": // a comment, or nothing
	case metaWord:
		w.read(t.Meta.attributes())
	case cutWord:
		var cut Cut
		w.read(cut.attributes())
		t.Cuts = append(t.Cuts, cut)
	case hiddenInputWord:
		var h HiddenInput
		w.read(h.attributes())
		t.HiddenInputs = append(t.HiddenInputs, h)
	case testEventWord:
		var e TestEvent
		w.read(e.attributes())
		if expected := e.check(); expected != "" {
			w.fail(expected, fmt.Sprintf("%+v", e))
			break
		}
		t.TestEvents = append(t.TestEvents, e)
	case valueTextWord:
		t.addText(w.number("digest", 64), w.string("is"))
	case freedWord:
		f := FreedObjects{Position: int32(len(t.Events))}
		w.read(f.attributes())
		t.Freed = append(t.Freed, f)
	case priorValueWord:
		t.addPriorValue(w.number("val", 64))
	case nameWord:
		t.TestNames = append(t.TestNames, w.string("name"))
	case goroutineWord:
		t.parseGoroutine(w)
	case siteWord:
		var s Site
		w.read(s.attributes())
		t.Sites[s.ID] = s
	case completeWord:
		t.Complete = true
	default:
		t.parseEvent(first, w)
	}
	return w.done()
}

func (t *Trace) parseGoroutine(w *words) {
	var g Goroutine
	w.read(g.attributes())
	if int(g.ID) != len(t.Goroutines) {
		w.fail(fmt.Sprintf("goroutine %d", len(t.Goroutines)), fmt.Sprint(g.ID))
	}
	if w.err == nil {
		t.Goroutines = append(t.Goroutines, g)
	}
}

func (t *Trace) parseEvent(first string, w *words) {
	g, err := strconv.ParseUint(first, 10, 32)
	if err != nil {
		w.fail("meta, cut, unseen, tested, text, test, goroutine, site, freed, held, complete, or a goroutine's number", fmt.Sprintf("%.40q", first))
		return
	}
	kind, ok := byWord[w.first()]
	if !ok {
		w.fail("an event kind after the goroutine", fmt.Sprintf("%.40q", w.first()))
		return
	}
	w.lone(w.first())
	e := Event{Kind: kind, G: GID(g)}
	w.read(e.attributes())
	w.read([]attribute{optional("flags", &e.Flags)})
	for _, f := range flagWords {
		if w.lone(f.word) {
			e.Flags |= f.flag
		}
	}
	if expected, found := t.checkIndices(&e); expected != "" {
		w.fail(expected, found)
	}
	if w.done() == nil {
		t.settlePriorValue(e)
		t.Events = append(t.Events, e)
	}
}
