package replayer

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Protocol is the content of a verdict file: what the run-time library saw.
type RuntimeVerdict struct {
	StepsDone  int
	StepsTotal int
	Accesses   []PendingAccess
	Confirmed  bool
	LeftReason string // why the schedule was left; "" if it was not
	Blocked    []BlockedGoroutine
	// Deadlock is set if the program was ended as no goroutine could go on
	// after the schedule; Asleep says where they wait.
	Deadlock   bool
	Deadlocked []BlockedGoroutine
	// Stuck are the operations in which goroutines are blocked for ever, as proven.
	BlockedForever []BlockedOperation
	// Misused is the goroutine of which the operation of the violation was misuse: an
	// unlock of what is not locked, a send to what is closed; "" if none was.
	MisusedBy string
	// Violated are the goroutines whose calls have violated the property, on the way to the
	// violation or there.
	ViolatedBy []string
	// Late are goroutines that could go on, or whose timers were due, before another timer
	// fired: the first hundred of these, and no others than the first that was held each
	// time but in a prompt replay.
	Overtaken []OvertakenGoroutine
	// Due is set if a timer was due soon when the goroutine went on that was put off.
	TimerDue     bool
	EndedOrderly bool // the process ended in an orderly way
}

// Late is a goroutine that a timer has overtaken, and one that waits for that timer.
type OvertakenGoroutine struct {
	Goroutine  string
	Delay      time.Duration // how long it would have to be late
	Waiter     string        // the goroutine that waits; "" if none does
	WaitReason string        // its wait reason, e.g. "sleep"
	Func       string
	Position   string // file:line
}

// A Stuck is the operation in which a goroutine is blocked for ever.
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
//	late GOROUTINE GOROUTINE WAIT_REASON FUNC FILE:LINE
//	due
//	end
//
// where ADDRESS and OBJECT are hexadecimal, KIND an event kind's number, VALUE decimal or
// "-", as is all that is not known of who waits for a timer, REGION the number of the
// goroutine's atomic region or 0, and WAIT_REASON
// has underscores for spaces. Accesses that must come in order stand, one after
// the other, when they happen. Who is blocked follows left
// and deadlock. A last line without a line end is one that the end of the
// process cut off; it is left out. Name is used in errors.
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
		if err := p.line(line); err != nil {
			return p, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return p, nil
}

// line takes over one line.
func (p *RuntimeVerdict) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	if p.EndedOrderly {
		return fmt.Errorf("found %.40q after the end", line)
	}
	switch word {
	case "steps":
		return p.steps(rest)
	case "stand":
		return p.stand(rest)
	case "confirmed":
		if p.LeftReason != "" {
			return fmt.Errorf("confirmed after the schedule was left (%.60s)", p.LeftReason)
		}
		p.Confirmed = true
	case "left":
		if p.Confirmed || p.LeftReason != "" || rest == "" {
			return fmt.Errorf("found %.60q: left comes once, with its reason, and not after confirmed", line)
		}
		p.LeftReason = rest
	case "deadlock":
		if !p.Confirmed && p.LeftReason == "" {
			return fmt.Errorf("deadlock before the schedule was over")
		}
		p.Deadlock = true
	case "blocked":
		return p.blocked(rest)
	case "stuck":
		return p.stuck(rest)
	case "misused":
		if rest == "" || strings.Contains(rest, " ") {
			return fmt.Errorf("found %.60q, expected a goroutine", line)
		}
		p.MisusedBy = rest
	case "violated":
		if rest == "" || strings.Contains(rest, " ") {
			return fmt.Errorf("found %.60q, expected a goroutine", line)
		}
		p.ViolatedBy = append(p.ViolatedBy, rest)
	case "late":
		return p.late(rest)
	case "due":
		p.TimerDue = true
	case "end":
		p.EndedOrderly = true
	default:
		return fmt.Errorf("found %.40q, expected steps, stand, confirmed, left, deadlock, blocked, stuck, misused, violated, late, due or end", line)
	}
	return nil
}

func (p *RuntimeVerdict) steps(rest string) error {
	f := strings.Fields(rest)
	if len(f) != 2 {
		return fmt.Errorf("steps has %d fields, expected 2", len(f))
	}
	done, err1 := strconv.ParseUint(f[0], 10, 31)
	total, err2 := strconv.ParseUint(f[1], 10, 31)
	if err1 != nil || err2 != nil || done > total {
		return fmt.Errorf("found steps %.40q, expected the number done and the total", rest)
	}
	p.StepsDone, p.StepsTotal = int(done), int(total)
	return nil
}

func (p *RuntimeVerdict) stand(rest string) error {
	f := strings.Fields(rest)
	if len(f) != 6 {
		return fmt.Errorf("stand has %d fields, expected 6", len(f))
	}
	addr, err1 := strconv.ParseUint(strings.TrimPrefix(f[1], "0x"), 16, 64)
	size, err2 := strconv.ParseUint(f[2], 10, 31)
	kind, err3 := strconv.ParseUint(f[3], 10, 8)
	region, err4 := strconv.ParseUint(f[5], 10, 31)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || !trace.Kind(kind).Valid() {
		return fmt.Errorf("found stand %.60q, expected goroutine, address, size, kind, value, region", rest)
	}
	s := PendingAccess{Goroutine: f[0], Addr: addr, Size: int(size), Op: trace.Kind(kind), Region: int(region)}
	if f[4] != "-" {
		v, err := strconv.ParseUint(f[4], 10, 64)
		if err != nil {
			return fmt.Errorf("stand has the value %.40q, expected a number or -", f[4])
		}
		s.Value = witness.Value(v, s.Size, trace.TypeUnknown)
	}
	p.Accesses = append(p.Accesses, s)
	return nil
}

func (p *RuntimeVerdict) stuck(rest string) error {
	f := strings.Fields(rest)
	if len(f) != 4 {
		return fmt.Errorf("stuck has %d fields, expected 4", len(f))
	}
	kind, err1 := strconv.ParseUint(f[1], 10, 8)
	key, err2 := strconv.ParseUint(f[2], 10, 64)
	obj, err3 := strconv.ParseUint(f[3], 16, 64)
	if err1 != nil || err2 != nil || err3 != nil || !trace.Kind(kind).Valid() {
		return fmt.Errorf("found stuck %.60q, expected goroutine, kind, key, object", rest)
	}
	p.BlockedForever = append(p.BlockedForever, BlockedOperation{f[0], trace.Kind(kind), key, obj})
	return nil
}

// blocked reads a line's fields, of which the file may hold spaces.
func (p *RuntimeVerdict) blocked(rest string) error {
	f := strings.SplitN(rest, " ", 4)
	if len(f) < 4 {
		return fmt.Errorf("blocked has %d fields, expected goroutine, wait reason, function, file:line", len(f))
	}
	b := BlockedGoroutine{Goroutine: f[0], WaitReason: strings.ReplaceAll(f[1], "_", " "), Func: f[2], Position: f[3]}
	if p.Deadlock {
		p.Deadlocked = append(p.Deadlocked, b)
	} else {
		p.Blocked = append(p.Blocked, b)
	}
	return nil
}

// late reads a line's fields, of which the file may hold spaces.
func (p *RuntimeVerdict) late(rest string) error {
	f := strings.SplitN(rest, " ", 6)
	if len(f) < 6 {
		return fmt.Errorf("late has %d fields, expected a goroutine, nanoseconds, a goroutine, wait reason, function, file:line", len(f))
	}
	ns, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return fmt.Errorf("late has %q for nanoseconds", f[1])
	}
	l := OvertakenGoroutine{Goroutine: f[0], Delay: time.Duration(ns)}
	if f[2] != "-" {
		l.Waiter, l.WaitReason, l.Func, l.Position = f[2], strings.ReplaceAll(f[3], "_", " "), f[4], f[5]
	}
	p.Overtaken = append(p.Overtaken, l)
	return nil
}
