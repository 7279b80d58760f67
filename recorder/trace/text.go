package trace

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// textMagic is the first line of the text form.
const textMagic = "gopredict trace 1"

// The words of the text form's lines other than events.
const (
	metaWord        = "meta"
	cutWord         = "cut"
	hiddenInputWord = "unseen"
	testEventWord   = "tested"
	valueTextWord   = "text"
	freedWord       = "freed"
	priorValueWord  = "held"
	nameWord        = "test"
	goroutineWord   = "goroutine"
	siteWord        = "site"
	completeWord    = "complete"
)

// flagWords are the words of the flags, bit by bit.
var flagWords = []struct {
	flag Flags
	word string
}{
	{FlagValue, "value"},
	{FlagFailed, "failed"},
	{FlagDefault, "default"},
	{FlagMap, "map"},
	{FlagTry, "try"},
	{FlagRequested, "asked"},
	{FlagBranchOmitted, "branched"},
}

// WriteText writes t in the text form, from which [ReadText] makes an equal
// trace: the line "gopredict trace 1", then lines for the definitions, one line
// for each event for each record between events, and "complete" if the trace
// is. A # outside of quotes starts a comment. The package doc describes the
// line of an event. WriteText fails only if w does.
func WriteText(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	line := func(word string, attributes []attribute) {
		b.WriteString(word)
		writeAttributes(b, attributes)
		b.WriteByte('\n')
	}
	line(textMagic, nil)
	line(metaWord, t.Meta.attributes())
	for _, cut := range t.Cuts {
		line(cutWord, cut.attributes())
	}
	for _, h := range t.HiddenInputs {
		line(hiddenInputWord, h.attributes())
	}
	for _, e := range t.TestEvents {
		line(testEventWord, e.attributes())
	}
	for digest, text := range t.sortedTexts() {
		line(valueTextWord, []attribute{required("digest", &digest).hex(), required("is", &text)})
	}
	for _, name := range t.TestNames {
		line(nameWord, []attribute{required("name", &name)})
	}
	for _, g := range t.Goroutines {
		line(goroutineWord, g.attributes())
	}
	for _, id := range slices.Sorted(maps.Keys(t.Sites)) {
		s := t.Sites[id]
		s.ID = id
		line(siteWord, s.attributes())
	}
	writeFreed := func(f *FreedObjects) { line(freedWord, f.attributes()) }
	freed, prior := t.Freed, t.PriorValues
	for i := range t.Events {
		freed = FreedBefore(freed, i, writeFreed)
		if len(prior) > 0 && prior[0].Position == i {
			line(priorValueWord, []attribute{required("val", &prior[0].Val)})
			prior = prior[1:]
		}
		t.writeEvent(b, &t.Events[i])
		b.WriteByte('\n')
	}
	FreedBefore(freed, math.MaxInt, writeFreed)
	if t.Complete {
		line(completeWord, nil)
	}
	return b.Flush()
}

// eventText returns the line of an event, without its end.
func (t *Trace) eventText(e *Event) string {
	var text strings.Builder
	b := bufio.NewWriter(&text)
	t.writeEvent(b, e)
	b.Flush() // a strings.Builder does not fail
	return text.String()
}

// writeEvent writes the line of an event, with a comment for people.
func (t *Trace) writeEvent(b *bufio.Writer, e *Event) {
	fmt.Fprintf(b, "%d %s", e.G, e.Kind)
	writeAttributes(b, e.attributes())
	rest := e.Flags
	for _, f := range flagWords {
		if e.Flags&f.flag != 0 {
			b.WriteString(" " + f.word)
			rest &^= f.flag
		}
	}
	writeAttributes(b, []attribute{optional("flags", &rest).hex()})
	b.WriteString(t.comment(e))
}

// comment returns a comment that names the goroutine of e and its place in the program.
func (t *Trace) comment(e *Event) string {
	var words []string
	if t.defined(uint64(e.G)) {
		words = append(words, t.Goroutines[e.G].Name())
	}
	if s, ok := t.Sites[e.Site]; ok {
		words = append(words, fmt.Sprintf("%s:%d", path.Base(s.File), s.Line))
		if s.Expr != "" {
			words = append(words, s.Expr)
		}
	}
	if len(words) == 0 {
		return ""
	}
	text := strings.Join(words, " ")
	if q := strconv.Quote(text); strings.Contains(q, `\`) {
		text = q // so that it has no line break
	}
	return " # " + text
}
