package replayer

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
)

// stepNumber is how the run-time library, which knows keys only, names a step:
// by its number in the plan, from 1.
var stepNumber = regexp.MustCompile(`\bstep (\d+)\b`)

// explain puts what the plan's steps are in place of their numbers.
func explain(reason string, plan *Plan) string {
	return stepNumber.ReplaceAllStringFunc(reason, func(word string) string {
		n, err := strconv.Atoi(stepNumber.FindStringSubmatch(word)[1])
		if err != nil || n < 1 || n > len(plan.Steps) {
			return word
		}
		return describe(plan.Steps[n-1])
	})
}

// maxWaiting is how many blocked goroutines a reason names.
const maxWaiting = 3

// waiting says who waits where, to be put after a reason.
func waiting(blocked []Blocked) string {
	text := ""
	for i, b := range blocked {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		if i == maxWaiting {
			return text + fmt.Sprintf("%sand %d more", sep, len(blocked)-i)
		}
		text += fmt.Sprintf("%s%s in %s (%s): %s", sep, b.Goroutine, path.Base(b.Func), filepath.Base(b.Pos), b.Why)
	}
	return text
}
