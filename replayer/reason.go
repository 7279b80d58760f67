package replayer

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
)

// stepNumber matches a step in the texts of the run-time library, which names steps by their
// numbers in the plan, from 1.
var stepNumber = regexp.MustCompile(`\bstep (\d+)\b`)

// operation matches an operation in these texts, by the word of its kind.
var operation = regexp.MustCompile(`\b((?:at )?its|at) [a-z]+\b`)

// explainReason replaces the numbers of the plan's steps by the steps, and the words for kinds by
// the phrases that reports have: "is at read lock m.go:12".
func explainReason(reason string, plan *Plan) string {
	reason = operation.ReplaceAllStringFunc(reason, func(words string) string {
		last := strings.LastIndexByte(words, ' ') + 1
		return words[:last] + witness.OperationPhrase(words[last:])
	})
	return stepNumber.ReplaceAllStringFunc(reason, func(word string) string {
		n, err := strconv.Atoi(stepNumber.FindStringSubmatch(word)[1])
		if err != nil || n < 1 || n > len(plan.Steps) {
			return word
		}
		return plan.Steps[n-1].String()
	})
}

// waitingText returns a text, to follow a reason, that says which goroutines wait where.
func waitingText(blocked []BlockedGoroutine) string {
	text := ""
	for i, b := range blocked {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		if i == maxWaiting {
			return text + fmt.Sprintf("%sand %d more", sep, len(blocked)-i)
		}
		text += sep + b.String()
	}
	return text
}

// gateWords explain why the run-time library itself holds a goroutine.
var gateWords = map[string]string{
	"waits for its turn":      "waits for its turn in the schedule",
	"waits for its hold":      "held back until the violation",
	"waits for its violation": "stands at the violation",
}

// String says which goroutine waits where: "TestX:0.1 in bank.f (bank.go:20): chan receive".
func (b BlockedGoroutine) String() string {
	why := b.WaitReason
	if plain := gateWords[why]; plain != "" {
		why = plain
	}
	return fmt.Sprintf("%s in %s (%s): %s", b.Goroutine, path.Base(b.Func), filepath.Base(b.Position), why)
}

// deadlockOutcome returns the outcome of a run that was ended because no goroutine could go on.
// The blocked goroutines say where they wait.
func deadlockOutcome(asleep []BlockedGoroutine, tests []string) Outcome {
	o := Outcome{Effect: bug.Blocks}
	for _, b := range asleep {
		if len(tests) == 1 {
			b.Goroutine = strings.TrimPrefix(b.Goroutine, tests[0]+":")
		}
		o.Detail = append(o.Detail, "goroutine "+b.String())
	}
	o.Detail = limitLines(o.Detail)
	return o
}
