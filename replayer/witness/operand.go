package witness

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gopredict/gopredict/recorder/trace"
)

// methods lists, for events that come from method calls, the methods whose
// receiver is the event's object.
var methods = map[trace.Kind][]string{
	trace.Acquire:       {"Lock", "TryLock"},
	trace.Release:       {"Unlock"},
	trace.RAcquire:      {"RLock", "TryRLock"},
	trace.RRelease:      {"RUnlock"},
	trace.CondWait:      {"Wait"},
	trace.CondWake:      {"Wait"},
	trace.CondSignal:    {"Signal"},
	trace.CondBroadcast: {"Broadcast"},
	trace.WaitGroupAdd:  {"Add", "Done", "Go"},
	trace.WaitGroupWait: {"Wait"},
	trace.OnceBegin:     {"Do"},
	trace.OnceEnd:       {"Do"},
	trace.OnceDone:      {"Do"},
	trace.AtomicLoad:    {"Load"},
	trace.AtomicStore:   {"Store"},
	trace.AtomicRMW:     {"Add", "Swap", "CompareAndSwap", "And", "Or"},
	trace.Read:          {"Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, // of a test
}

// Operand returns the object of an operation of kind k as a source line names it: "a.mu" in "defer
// a.mu.Unlock()". It is for readers: if the line does not show it plainly, or has several, it
// returns "".
func Operand(k trace.Kind, line string) string {
	line, _, _ = strings.Cut(line, "//")
	switch k {
	case trace.Fork:
		return forkOperand(line)
	case trace.Send, trace.SelectSend:
		before, _, ok := strings.Cut(line, "<-")
		if !ok || strings.Count(line, "<-") > 1 {
			return ""
		}
		return operandAtEnd(before)
	case trace.Recv:
		if _, after, ok := strings.Cut(line, "<-"); ok && strings.Count(line, "<-") == 1 {
			return operandAtStart(after)
		}
		if _, after, ok := strings.Cut(line, "range "); ok {
			return operandAtStart(after)
		}
		return ""
	case trace.Close:
		if _, after, ok := strings.Cut(line, "close("); ok {
			return operandAtStart(after)
		}
		return ""
	}
	if k == trace.Call {
		return CalledMethod(line)
	}
	if k == trace.Read || k == trace.Write {
		return cmp.Or(accessedOperand(line), receiver(k, line))
	}
	return receiver(k, line)
}

// receiver returns the receiver of a method call that is an operation of kind k, or the variable
// whose address a function of sync/atomic gets; "" if there are several.
func receiver(k trace.Kind, line string) string {
	name, found := "", false
	add := func(operand string) {
		if found && operand != name {
			operand = ""
		}
		name, found = operand, true
	}
	for _, m := range methods[k] {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, "."+m+"(")
			if !ok {
				break
			}
			add(operandAtEnd(line[:len(line)-len(after)-len("."+m+"(")]))
			rest = after
		}
		if k == trace.AtomicLoad || k == trace.AtomicStore || k == trace.AtomicRMW {
			for _, call := range strings.Split(line, "atomic."+m)[1:] { // LoadInt64(&x)
				if typ, arg, ok := strings.Cut(call, "(&"); ok && !strings.ContainsAny(typ, "( ") {
					add(operandAtStart(arg))
				}
			}
		}
	}
	return name
}

// CalledMethod returns the method of an object that a line calls: "c.Close"; "" if it calls
// several functions. Calls in a function literal that begins in the line are on other lines.
func CalledMethod(line string) string {
	before, after, ok := strings.Cut(line, "(")
	arguments, _, literal := strings.Cut(strings.ReplaceAll(after, ".(", ""), "func(")
	alone := !strings.Contains(arguments, "(") && (!literal || strings.HasSuffix(strings.TrimSpace(after), "{"))
	if name := operandAtEnd(before); ok && strings.Contains(name, ".") && alone {
		return name
	}
	return ""
}

// SoleCall returns the function that a line calls, with its receiver or package: "maps.Clone" in
// "return maps.Clone(m)"; "" if it calls several. Conversions, builtin functions, and what gets a
// function literal are no such calls.
func SoleCall(line string) string {
	line, _, _ = strings.Cut(line, "//")
	sole := ""
	for rest := line; ; {
		before, after, ok := strings.Cut(rest, "(")
		if !ok {
			return sole
		}
		name := operandAtEnd(line[:len(line)-len(rest)+len(before)])
		if strings.Contains(name, ".") && !strings.HasPrefix(after, "func(") && name != sole {
			if sole != "" {
				return ""
			}
			sole = name
		}
		rest = after
	}
}

// accessedOperand returns what a call accesses: "buf" in "f.Read(buf)" and "pool.Put(buf)", and
// the function itself in "v, ok := next()", which iter.Pull has made.
func accessedOperand(line string) string {
	for _, m := range []string{"Read", "ReadAt", "Write", "WriteAt", "Put"} {
		if _, after, ok := strings.Cut(line, "."+m+"("); ok {
			name := operandAtStart(after)
			if strings.HasPrefix(strings.TrimSpace(after)[len(name):], "(") {
				return "" // a call or conversion
			}
			return name
		}
	}
	if i := strings.LastIndex(line, "= "); i >= 0 {
		line = line[i+len("= "):]
	}
	name := operandAtStart(line)
	if strings.Contains(name, ".") || !strings.HasSuffix(strings.TrimSpace(line), name+"()") {
		return ""
	}
	return name
}

// forkOperand returns the call of a go statement: "worker" in "go worker(1)", and "func" for a
// function literal. For WaitGroup.Go and the like it returns the receiver and the method.
func forkOperand(line string) string {
	rest := strings.TrimSpace(line)
	if after, ok := strings.CutPrefix(rest, "go "); ok {
		return callee(strings.TrimSpace(after))
	}
	if i := strings.Index(rest, ".Go("); i >= 0 {
		return operandAtEnd(rest[:i]) + ".Go"
	}
	return ""
}

// callee returns the function of the call that s begins with: "worker" in "worker(1)",
// "new(T).run" in "new(T).run()", and "func" for a function literal.
func callee(s string) string {
	if strings.HasPrefix(s, "func(") {
		return "func"
	}
	depth, end := 0, 0
	for i, r := range s {
		switch {
		case r == '(' || r == '[':
			if depth++; depth == 1 && r == '(' {
				end = i
			}
		case depth > 0 && (r == ')' || r == ']'):
			depth--
		case depth > 0 || inOperand(r):
		default:
			return s[:end]
		}
	}
	return s[:end]
}

// operandAtEnd returns the operand that s ends with: names, dots, and whole pairs of brackets.
func operandAtEnd(s string) string {
	s = strings.TrimRight(s, " \t")
	i, depth := len(s), 0
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case r == ')' || r == ']':
			depth++
		case depth > 0 && (r == '(' || r == '['):
			depth--
		case depth > 0 || inOperand(r):
		default:
			return s[i:]
		}
		i -= n
	}
	if depth > 0 {
		return ""
	}
	return s
}

// operandAtStart returns the operand that s begins with, without a call's arguments.
func operandAtStart(s string) string {
	s = strings.TrimLeft(s, " \t")
	depth := 0
	for i, r := range s {
		switch {
		case r == '[':
			depth++
		case depth > 0 && r == ']':
			depth--
		case depth > 0 || inOperand(r):
		default:
			return s[:i]
		}
	}
	if depth > 0 {
		return ""
	}
	return s
}

func inOperand(r rune) bool {
	return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
