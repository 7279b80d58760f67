package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// good reports whether, of the cases that match, each leak is confirmed each time, and
// nothing where there is none.
func (s *suite) good(match *regexp.Regexp) bool {
	return !slices.ContainsFunc(s.cases, func(c *leakCase) bool {
		lost := never[c.name] == "" && slices.ContainsFunc(c.leaks, func(l *leak) bool { return c.times(l) < len(c.outcomes) })
		return match.MatchString(c.name) && (lost || c.wrong() > 0)
	})
}

// table returns the page, in Markdown, of the cases that were run.
func (s *suite) table() string {
	var rows strings.Builder
	var others []string
	cases, whole, leaks, confirmed := 0, 0, 0, 0
	for _, c := range s.cases {
		if len(c.outcomes) == 0 {
			others = append(others, c.name)
			continue
		}
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
		flaky := ""
		if c.flaky {
			flaky = "flaky"
		}
		var runs int64
		var took time.Duration
		for _, o := range c.outcomes {
			runs, took = max(runs, o.Runs), max(took, o.Took)
		}
		fmt.Fprintf(&rows, "| %s | %s | %d | %s | %d | %.1f | %s |\n", c.name, flaky, len(c.outcomes), c.found(), runs, took.Seconds(),
			strings.ReplaceAll(strings.Join(missing, ", "), "|", "\\|"))
	}
	left := ""
	if len(others) > 0 {
		left = fmt.Sprintf("\nNot run: %s.\n", strings.Join(others, ", "))
	}
	return fmt.Sprintf(page, whole, cases, confirmed, leaks, left, rows.String())
}

const page = `# Goroutines left behind

The cases of the test of Go's own goroutine-leak profile, in
` + "`GOROOT/src/runtime/testdata/testgoroutineleakprofile`" + `: simple ones, common patterns, and
the blocking bugs of GoBench. This page is written by

    go run ./internal/measure/leaks -count=10 -rows=FILE -o docs/measured/leaks.md

which runs ` + "`gopredict test`" + ` on each case alone, *times* times; with ` + "`-run`" + ` of some
cases, the others' rows being those of FILE. *Flaky* are those of which Go's own test does
not rely on finding the leaks. *Confirmed* are the goroutines that were confirmed each time to
be blocked for ever, of those that the test names, *runs* the most runs of the test after the
recorded one, further recordings and replays, and *seconds* the most processor time that one
command took, with building. The last column has what is missing, and how often it was
confirmed.

%d of %d cases have all their leaks confirmed, and %d of %d leaks, but for what no run can leave.
%s
| case | | times | confirmed | runs | seconds | not each time |
|---|---|--:|---|--:|--:|---|
%s`
