package replayer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A RuntimeVerdict is the content of a verdict file: what the run-time library saw.
type RuntimeVerdict struct {
	StepsDone  int
	StepsTotal int
	Accesses   []PendingAccess
	Confirmed  bool
	LeftReason string // why the program left the schedule; "" if it did not
	Blocked    []BlockedGoroutine
	// Deadlock is set if the program was ended because no goroutine could go on after the
	// schedule; Deadlocked says where they wait.
	Deadlock   bool
	Deadlocked []BlockedGoroutine
	// BlockedForever are operations in which goroutines are proven to be blocked for ever.
	BlockedForever []BlockedOperation
	// MisusedBy is the goroutine whose operation of the violation was misuse, such as an unlock of
	// an unlocked mutex or a send on a closed channel; "" if none was.
	MisusedBy string
	// ViolatedBy are the goroutines whose calls have violated the property, before or at the
	// violation.
	ViolatedBy []string
	// Overtaken are goroutines that could go on, or whose timers were due, before another timer
	// fired: the first hundred of these. Except in a prompt replay, it has only the first one that
	// was held each time.
	Overtaken []OvertakenGoroutine
	// TimerDue is set if a timer was due soon when the delayed goroutine went on.
	TimerDue     bool
	EndedOrderly bool // the process ended in an orderly way
}

// An OvertakenGoroutine could go on before a timer fired that another goroutine waited for.
type OvertakenGoroutine struct {
	Goroutine  string
	Delay      time.Duration // by which it would have to be delayed in a plain run
	Waiter     string        // the goroutine that waits for the timer; "" if none does
	WaitReason string        // of Waiter, e.g. "sleep"
	Func       string        // of Waiter
	Position   string        // of Waiter, as file:line
}

// A BlockedOperation is the operation in which a goroutine is blocked for ever.
type BlockedOperation struct {
	Goroutine string
	Op        trace.Kind
	Key       uint64 // of its site
	Obj       uint64 // as in the operation's event
}

// ParseVerdict reads a verdict file. Each line is one of
//
//	steps DONE TOTAL
//	stand GOROUTINE ADDRESS SIZE KIND VALUE REGION
//	confirmed
//	left TEXT
//	deadlock
//	blocked GOROUTINE WAIT_REASON FUNC FILE:LINE
//	stuck GOROUTINE KIND KEY OBJECT
//	misused GOROUTINE
//	violated GOROUTINE
//	late GOROUTINE NANOSECONDS GOROUTINE WAIT_REASON FUNC FILE:LINE
//	due
//	end
//
// ADDRESS and OBJECT are hexadecimal, and KIND is the number of an event kind. VALUE is decimal,
// or "-" if it is not known, as is all that is not known of a goroutine that waits for a timer.
// REGION is the number of the goroutine's atomic region, or 0. WAIT_REASON has underscores for
// spaces. Accesses that must come in order have their lines when they happen, one after the other.
// The blocked goroutines follow left and deadlock. ParseVerdict ignores a last line without a line
// end, which the end of the process has cut off. Errors begin with name.
func ParseVerdict(name string, r io.Reader) (RuntimeVerdict, error) {
	var p RuntimeVerdict
	data, err := io.ReadAll(io.LimitReader(r, maxVerdict+1))
	if err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxVerdict {
		return p, fmt.Errorf("%s: verdict is longer than %d bytes", name, maxVerdict)
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines[:len(lines)-1] {
		if err := p.addLine(line); err != nil {
			return p, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return p, nil
}

// A verdictLine is a kind of line of a verdict file.
type verdictLine struct {
	word   string
	fields string // their names; the last one may have spaces
	add    func(*RuntimeVerdict, *lineFields) error
}

var verdictLines = []verdictLine{
	{"steps", "DONE TOTAL", (*RuntimeVerdict).addSteps},
	{"stand", "GOROUTINE ADDRESS SIZE KIND VALUE REGION", (*RuntimeVerdict).addAccess},
	{"confirmed", "", (*RuntimeVerdict).addConfirmed},
	{"left", "TEXT", (*RuntimeVerdict).addLeft},
	{"deadlock", "", (*RuntimeVerdict).addDeadlock},
	{"blocked", "GOROUTINE WAIT_REASON FUNC FILE:LINE", (*RuntimeVerdict).addBlocked},
	{"stuck", "GOROUTINE KIND KEY OBJECT", (*RuntimeVerdict).addBlockedForever},
	{"misused", "GOROUTINE", func(p *RuntimeVerdict, f *lineFields) error { p.MisusedBy = f.goroutine(); return nil }},
	{"violated", "GOROUTINE", func(p *RuntimeVerdict, f *lineFields) error {
		p.ViolatedBy = append(p.ViolatedBy, f.goroutine())
		return nil
	}},
	{"late", "GOROUTINE NANOSECONDS GOROUTINE WAIT_REASON FUNC FILE:LINE", (*RuntimeVerdict).addOvertaken},
	{"due", "", func(p *RuntimeVerdict, _ *lineFields) error { p.TimerDue = true; return nil }},
	{"end", "", func(p *RuntimeVerdict, _ *lineFields) error { p.EndedOrderly = true; return nil }},
}

// addLine adds what one line says.
func (p *RuntimeVerdict) addLine(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	if p.EndedOrderly {
		return fmt.Errorf("found %.40q after the end", line)
	}
	k := slices.IndexFunc(verdictLines, func(l verdictLine) bool { return l.word == word })
	if k < 0 {
		var words []string
		for _, l := range verdictLines {
			words = append(words, l.word)
		}
		return fmt.Errorf("found %.40q, expected %s", line, strings.Join(words, ", "))
	}
	l := verdictLines[k]
	f := &lineFields{}
	if expected := len(strings.Fields(l.fields)); expected > 0 {
		if f.fields = strings.SplitN(rest, " ", expected); len(f.fields) != expected {
			return fmt.Errorf("%s has %d fields, expected %d: %s", word, len(f.fields), expected, l.fields)
		}
	}
	if err := l.add(p, f); err != nil {
		return err
	}
	if f.damaged {
		return fmt.Errorf("found %s %.60q, expected %s", word, rest, l.fields)
	}
	return nil
}

// lineFields are the fields of a line after its first word. They are taken in their order.
type lineFields struct {
	fields  []string
	damaged bool // a field was not as expected
}

func (f *lineFields) text() string {
	field := f.fields[0]
	f.fields = f.fields[1:]
	return field
}

func (f *lineFields) goroutine() string {
	name := f.text()
	f.damaged = f.damaged || name == "" || strings.Contains(name, " ")
	return name
}

func (f *lineFields) waitReason() string { return strings.ReplaceAll(f.text(), "_", " ") }

func (f *lineFields) number(base, bits int) uint64 {
	n, err := strconv.ParseUint(f.text(), base, bits)
	f.damaged = f.damaged || err != nil
	return n
}

func (f *lineFields) kind() trace.Kind {
	kind := trace.Kind(f.number(10, 8))
	f.damaged = f.damaged || !kind.Valid()
	return kind
}

func (p *RuntimeVerdict) addSteps(f *lineFields) error {
	p.StepsDone, p.StepsTotal = int(f.number(10, 31)), int(f.number(10, 31))
	f.damaged = f.damaged || p.StepsDone > p.StepsTotal
	return nil
}

func (p *RuntimeVerdict) addAccess(f *lineFields) error {
	a := PendingAccess{Goroutine: f.text()}
	f.fields[0] = strings.TrimPrefix(f.fields[0], "0x")
	a.Addr, a.Size, a.Op = f.number(16, 64), int(f.number(10, 31)), f.kind()
	value := f.text()
	a.Region = int(f.number(10, 31))
	if f.damaged || value == "-" {
		p.Accesses = append(p.Accesses, a)
		return nil
	}
	v, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return fmt.Errorf("stand has the value %.40q, expected a number or -", value)
	}
	a.Value = witness.Value(v, a.Size, trace.TypeUnknown)
	p.Accesses = append(p.Accesses, a)
	return nil
}

func (p *RuntimeVerdict) addConfirmed(*lineFields) error {
	if p.LeftReason != "" {
		return fmt.Errorf("confirmed after the schedule was left (%.60s)", p.LeftReason)
	}
	p.Confirmed = true
	return nil
}

func (p *RuntimeVerdict) addLeft(f *lineFields) error {
	reason := f.text()
	if p.Confirmed || p.LeftReason != "" || reason == "" {
		return fmt.Errorf("found %.60q: left comes once, with its reason, and not after confirmed", "left "+reason)
	}
	p.LeftReason = reason
	return nil
}

func (p *RuntimeVerdict) addDeadlock(*lineFields) error {
	if !p.Confirmed && p.LeftReason == "" {
		return errors.New("deadlock before the schedule was over")
	}
	p.Deadlock = true
	return nil
}

func (p *RuntimeVerdict) addBlocked(f *lineFields) error {
	b := BlockedGoroutine{Goroutine: f.text(), WaitReason: f.waitReason(), Func: f.text(), Position: f.text()}
	if p.Deadlock {
		p.Deadlocked = append(p.Deadlocked, b)
	} else {
		p.Blocked = append(p.Blocked, b)
	}
	return nil
}

func (p *RuntimeVerdict) addBlockedForever(f *lineFields) error {
	p.BlockedForever = append(p.BlockedForever, BlockedOperation{f.text(), f.kind(), f.number(10, 64), f.number(16, 64)})
	return nil
}

func (p *RuntimeVerdict) addOvertaken(f *lineFields) error {
	o := OvertakenGoroutine{Goroutine: f.text(), Delay: time.Duration(f.number(10, 63))}
	if waiter := f.text(); waiter != "-" {
		o.Waiter, o.WaitReason, o.Func, o.Position = waiter, f.waitReason(), f.text(), f.text()
	}
	p.Overtaken = append(p.Overtaken, o)
	return nil
}
