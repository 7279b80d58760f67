package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// This file reads and writes the lines "key value" of meta chunks.

// The words of a [Cut] in the file, and what makes a goroutine turn round that has Turns.
const (
	cutAccesses   = "accesses"
	cutSync       = "sync"
	turnsByTimers = "timers"
)

func (d *Reader) decodeMeta(f *fields) {
	text, _, ok := bytes.Cut(f.payload, []byte("\n"))
	line := string(text) // the rest of the chunk need not stay in memory
	key, value, ok2 := strings.Cut(line, " ")
	if !ok || !ok2 {
		f.fail("a line \"key value\"", fmt.Sprintf("%q", line))
		return
	}
	if expected := d.t.decodeMeta(key, value); expected != "" {
		f.fail(expected, fmt.Sprintf("%q", line))
		return
	}
	f.skip(len(line) + 1)
}

// decodeMeta adds what a line of meta data says. It returns what was expected if the line is
// damaged, or else "". It leaves unknown keys to newer readers.
func (t *Trace) decodeMeta(key, value string) (expected string) {
	word, rest, _ := strings.Cut(value, " ")
	switch key {
	case "go":
		t.Meta.Go = value
	case "dir":
		t.Meta.Dir = value
	case "binary":
		t.Meta.Binary = value
	case "limit":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return "a number of bytes as limit"
		}
		t.Meta.Limit = n
	case "cut":
		if word != cutAccesses && word != cutSync {
			return "cut " + cutAccesses + " or " + cutSync
		}
		t.Cuts = append(t.Cuts, Cut{Test: rest, LacksSync: word == cutSync})
	case "unseen":
		if indexOfInput(word) < 0 {
			return "unseen, and one of " + strings.Join(hiddenInputWords(), ", ")
		}
		t.HiddenInputs = append(t.HiddenInputs, HiddenInput{rest, word})
	case "tested":
		return t.decodeTestEvent(word, rest)
	case "stuck":
		return t.decodeBlocked(value)
	case "turns":
		if len(t.Blocked) == 0 || value != turnsByTimers {
			return "turns " + turnsByTimers + ", after stuck"
		}
		t.Blocked[len(t.Blocked)-1].Turns = true
	case "frame", "asked":
		return t.decodeFrame(key, value)
	case "text":
		digest, err := strconv.ParseUint(word, 16, 64)
		text, err2 := strconv.Unquote(`"` + rest + `"`)
		if err != nil || err2 != nil {
			return "text, a digest and what may stand in quotes"
		}
		t.addText(digest, text)
	}
	return ""
}

func (t *Trace) decodeTestEvent(action, rest string) (expected string) {
	test, rest, ok := strings.Cut(rest, " ")
	e := TestEvent{Action: action, Test: test}
	if action == "output" {
		e.Output = rest
	} else if ns, err := strconv.ParseInt(rest, 10, 64); err == nil {
		e.Elapsed = time.Duration(ns)
	} else {
		ok = false
	}
	if !ok {
		return "tested with action, test, and a line or nanoseconds"
	}
	if expected = e.check(); expected == "" {
		t.TestEvents = append(t.TestEvents, e)
	}
	return expected
}

func (t *Trace) decodeBlocked(value string) (expected string) {
	var b BlockedGoroutine
	n, err := fmt.Sscanf(value, "%s %d %d %d %x %d", &b.Proof, &b.G, &b.Op, &b.Site, &b.Obj, &b.Duration)
	known := b.Proof == ProofDeadlock || b.Proof == ProofLeak || b.Proof == ProofLingering
	if n != 6 || err != nil || !known || !b.Op.Valid() || !t.defined(uint64(b.G)) || b.Duration < 0 {
		return "stuck with proof, goroutine that is defined, kind, site, object and nanoseconds"
	}
	t.Blocked = append(t.Blocked, b)
	return ""
}

// decodeFrame adds a place in the stack of the goroutine in the line before, or the call that led
// to its start.
func (t *Trace) decodeFrame(key, value string) (expected string) {
	f := strings.Split(value, "\t")
	if len(t.Blocked) == 0 || len(f) != 3 {
		return key + ", after stuck, with function, file and line, by tabs"
	}
	line, err := strconv.Atoi(f[2])
	if err != nil {
		return key + " with the number of a line"
	}
	b := &t.Blocked[len(t.Blocked)-1]
	if frame := (Frame{f[0], f[1], line}); key == "asked" {
		b.StartedBy = frame
	} else {
		b.Stack = append(b.Stack, frame)
	}
	return ""
}

// meta writes all meta data of t.
func (c *chunkWriter) meta(t *Trace) {
	c.metaLine("go", t.Meta.Go)
	c.metaLine("dir", t.Meta.Dir)
	c.metaLine("binary", t.Meta.Binary)
	if t.Meta.Limit > 0 {
		c.metaLine("limit", fmt.Sprint(t.Meta.Limit))
	}
	for _, cut := range t.Cuts {
		what := cutAccesses
		if cut.LacksSync {
			what = cutSync
		}
		c.metaLine("cut", what+" "+cut.Test)
	}
	for _, h := range t.HiddenInputs {
		if indexOfInput(h.Source) < 0 {
			c.fail("as unseen one of "+strings.Join(hiddenInputWords(), ", "), strconv.Quote(h.Source))
		}
		c.metaLine("unseen", h.Source+" "+h.Test)
	}
	for _, e := range t.TestEvents {
		if expected := e.check(); expected != "" {
			c.fail(expected, fmt.Sprintf("%+v", e))
		}
		rest := e.Output
		if e.Action != "output" {
			rest = strconv.FormatInt(e.Elapsed.Nanoseconds(), 10)
		}
		c.metaLine("tested", e.Action+" "+e.Test+" "+rest)
	}
	for digest, text := range t.sortedTexts() {
		quoted := strconv.Quote(text)
		c.metaLine("text", fmt.Sprintf("%x %s", digest, quoted[1:len(quoted)-1]))
	}
}

// blocked writes a goroutine that is blocked. Its definition must come before.
func (c *chunkWriter) blocked(b BlockedGoroutine) {
	c.metaLine("stuck", fmt.Sprintf("%s %d %d %d %x %d", b.Proof, b.G, b.Op, b.Site, b.Obj, b.Duration.Nanoseconds()))
	frame := func(key string, f Frame) { c.metaLine(key, fmt.Sprintf("%s\t%s\t%d", f.Func, f.File, f.Line)) }
	for _, f := range b.Stack {
		frame("frame", f)
	}
	if b.StartedBy != (Frame{}) {
		frame("asked", b.StartedBy)
	}
	if b.Turns {
		c.metaLine("turns", turnsByTimers)
	}
}

func (c *chunkWriter) metaLine(key, value string) {
	if strings.Contains(value, "\n") {
		c.fail("one line for "+key, strconv.Quote(value))
	}
	c.begin(metaChunk)
	c.payload = append(c.payload, key+" "+value+"\n"...)
}
