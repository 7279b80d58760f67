package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// good reports whether each leak is confirmed each time, and nothing where there is none.
func (s *suite) good() bool {
	return !slices.ContainsFunc(s.cases, func(c *leakCase) bool {
		return c.wrong() > 0 || never[c.name] == "" && slices.ContainsFunc(c.leaks, func(l *leak) bool { return c.times(l) < len(c.outcomes) })
	})
}

// table returns the page, in Markdown.
func (s *suite) table() string {
	var rows strings.Builder
	cases, whole, leaks, confirmed, count := 0, 0, 0, 0, 0
	for _, c := range s.cases {
		var missing []string
		for _, l := range c.leaks {
			if never[c.name] != "" {
				missing = []string{never[c.name]}
				break
			}
			leaks++
			if n := c.times(l); n == len(c.outcomes) {
				confirmed++
			} else {
				missing = append(missing, fmt.Sprintf("%s (%d)", l.text, n))
			}
		}
		if c.wrong() > 0 {
			missing = append(missing, "**a leak where there is none**")
		}
		if never[c.name] == "" {
			cases++
		}
		if len(missing) == 0 {
			whole++
		}
		count = len(c.outcomes)
		flaky := ""
		if c.flaky {
			flaky = "flaky"
		}
		var runs int64
		var took []time.Duration
		for _, o := range c.outcomes {
			runs, took = max(runs, o.runs), append(took, o.took)
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %d | %.1f | %s |\n", c.name, flaky, c.found(), runs, slices.Max(took).Seconds(),
			strings.ReplaceAll(strings.Join(missing, ", "), "|", "\\|"))
	}
	times := fmt.Sprintf("%d times", count)
	if count == 1 {
		times = "once"
	}
	return fmt.Sprintf(page, times, whole, cases, confirmed, leaks, rows.String())
}

const page = `# Goroutines left behind

The cases of the test of Go's own goroutine-leak profile, in
` + "`GOROOT/src/runtime/testdata/testgoroutineleakprofile`" + `: simple ones, common patterns, and
the blocking bugs of GoBench. This page is written by

    go run ./internal/measure/leaks -count=10 -o docs/leaks.md

which runs ` + "`gopredict test`" + ` on each case alone, here %s. *Flaky* are those of which
Go's own test does not rely on finding the leaks. *Confirmed* are the goroutines that were
confirmed each time to be blocked for ever, of those that the test names, *runs* the most
runs of the test after the recorded one, further recordings and replays, and *seconds*
the most that one command took, with building. The last column has what is missing, and
how often it was confirmed.

%d of %d cases have all their leaks confirmed, and %d of %d leaks, but for what no run can leave.

| case | | confirmed | runs | seconds | not each time |
|---|---|---|---|---|---|
%s`
