package trace

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// textMagic is the first line of the text form.
const textMagic = "gopredict trace 1"

// The words of the text form's lines other than events.
const (
	metaWord      = "meta"
	cutWord       = "cut"
	unseenWord    = "unseen"
	testedWord    = "tested"
	textWord      = "text"
	freedWord     = "freed"
	heldWord      = "held"
	nameWord      = "test"
	goroutineWord = "goroutine"
	siteWord      = "site"
	completeWord  = "complete"
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
// trace: the line "gopredict trace 1", then lines for the meta data, the cuts,
// what is unseen, what came of tests, what values are, the test names in their order, goroutines and sites; then one line for each
// event, for memory that was freed, and for what a write found; then "complete" if the trace is. A # outside of quotes starts a
// comment. The package doc describes the line of an event. WriteText fails only
// if w does.
func WriteText(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, textMagic)
	fmt.Fprintf(b, "%s go=%q dir=%q binary=%q", metaWord, t.Meta.Go, t.Meta.Dir, t.Meta.Binary)
	if t.Meta.Limit > 0 {
		fmt.Fprintf(b, " limit=%d", t.Meta.Limit)
	}
	fmt.Fprintln(b)
	for _, cut := range t.Cuts {
		fmt.Fprintf(b, "%s test=%q", cutWord, cut.Test)
		if cut.LacksSync {
			b.WriteString(" sync")
		}
		b.WriteByte('\n')
	}
	for _, u := range t.HiddenInputs {
		fmt.Fprintf(b, "%s test=%q what=%q\n", unseenWord, u.Test, u.Source)
	}
	for _, e := range t.TestEvents {
		fmt.Fprintf(b, "%s action=%q test=%q output=%q elapsed=%d\n", testedWord, e.Action, e.Test, e.Output, e.Elapsed.Nanoseconds())
	}
	for _, digest := range slices.Sorted(maps.Keys(t.ValueTexts)) {
		fmt.Fprintf(b, "%s digest=%#x is=%q\n", textWord, digest, t.ValueTexts[digest])
	}
	for _, name := range t.TestNames {
		fmt.Fprintf(b, "%s name=%q\n", nameWord, name)
	}
	for _, g := range t.Goroutines {
		fmt.Fprintf(b, "%s id=%d parent=%d site=%#x test=%q path=%q\n", goroutineWord, g.ID, g.Parent, uint32(g.Site), g.Test, g.Path)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Sites)) {
		writeSite(b, id, t.Sites[id])
	}
	freed, held := t.Freed, t.PriorValues
	for i := range t.Events {
		for len(freed) > 0 && int(freed[0].Position) <= i {
			b.WriteString(freed[0].text())
			freed = freed[1:]
		}
		if len(held) > 0 && held[0].Position == i {
			b.WriteString(held[0].text())
			held = held[1:]
		}
		b.WriteString(t.eventText(&t.Events[i]))
		b.WriteByte('\n')
	}
	for _, f := range freed {
		b.WriteString(f.text())
	}
	if t.Complete {
		fmt.Fprintln(b, completeWord)
	}
	return b.Flush()
}

// writeSite writes the line of a site: of what is not always there, only what is.
func writeSite(b *bufio.Writer, id SiteID, s Site) {
	fmt.Fprintf(b, "%s id=%#x key=%#x func=%q file=%q line=%d", siteWord, uint32(id), s.Key, s.Func, s.File, s.Line)
	if s.Col != 0 {
		fmt.Fprintf(b, " col=%d", s.Col)
	}
	if s.Op != "" {
		fmt.Fprintf(b, " op=%q", s.Op)
	}
	if s.Expr != "" {
		fmt.Fprintf(b, " expr=%q", s.Expr)
	}
	if s.Type != TypeUnknown {
		fmt.Fprintf(b, " type=%q", s.Type.String())
	}
	if s.OnlyStored {
		b.WriteString(" data")
	}
	if s.IsUpdate {
		b.WriteString(" update")
	}
	if s.OnlyInFormulas {
		b.WriteString(" tracked")
	}
	switch s.FailsIf {
	case IfFalse:
		b.WriteString(" failsfalse")
	case IfTrue:
		b.WriteString(" failstrue")
	}
	if s.FailureEndsGoroutine {
		b.WriteString(" stops")
	}
	if s.Scope.LastLine != 0 {
		fmt.Fprintf(b, " scope=%d", s.Scope.LastLine)
	}
	if s.Scope.HarmlessIfTrue {
		b.WriteString(" iftrue")
	}
	if s.Scope.HarmlessIfFalse {
		b.WriteString(" iffalse")
	}
	if s.Scope.HasCalls {
		b.WriteString(" calls")
	}
	if s.Formula != "" {
		fmt.Fprintf(b, " formula=%q", s.Formula)
	}
	b.WriteByte('\n')
}

func (f FreedObjects) text() string {
	return fmt.Sprintf("%s obj=%#x size=%d which=%#x\n", freedWord, f.FirstAddr, f.Size, f.Mask)
}

// eventText is the line of an event, with a comment for people.
func (t *Trace) eventText(e *Event) string {
	b := make([]byte, 0, 100)
	b = strconv.AppendUint(b, uint64(e.G), 10)
	b = append(b, ' ')
	b = append(b, e.Kind.String()...)
	if e.Obj != 0 {
		b = strconv.AppendUint(append(b, " obj=0x"...), e.Obj, 16)
	}
	if e.Skipped != 0 {
		b = strconv.AppendUint(append(b, " skipped="...), uint64(e.Skipped), 10)
	}
	if e.Size != 0 {
		b = strconv.AppendUint(append(b, " size="...), uint64(e.Size), 10)
	}
	if e.Val != 0 {
		b = strconv.AppendUint(append(b, " val="...), e.Val, 10)
	}
	if e.Site != 0 {
		b = strconv.AppendUint(append(b, " site=0x"...), uint64(e.Site), 16)
	}
	rest := e.Flags
	for _, f := range flagWords {
		if e.Flags&f.flag != 0 {
			b = append(append(b, ' '), f.word...)
			rest &^= f.flag
		}
	}
	if rest != 0 {
		b = strconv.AppendUint(append(b, " flags=0x"...), uint64(rest), 16)
	}
	return string(append(b, t.comment(e)...))
}

// comment says whose event e is, and where in the program.
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
		text = q // no line break gets through
	}
	return " # " + text
}
