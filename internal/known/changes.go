package known

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/report"
)

// Changes are the lines of a module's files that were changed since a revision.
type Changes struct {
	revision string
	lines    map[string][]span // by file, relative to the module's folder
	whole    map[string]bool   // untracked files
}

// A span is a range of lines, from and to included.
type span struct{ from, to int }

// ReadChanges asks git what was changed in the folder root since a revision.
func ReadChanges(ctx context.Context, root, revision string) (*Changes, error) {
	// After --end-of-options git takes no revision for an option.
	if _, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}"); err != nil {
		return nil, fmt.Errorf("%s: expected a revision that git knows: %w", revision, err)
	}
	diff, err := git(ctx, root, "-c", "core.quotepath=off", "diff", "--relative", "--no-color", "--no-ext-diff", "--no-prefix", "--unified=0", "--end-of-options", revision, "--", ".")
	if err != nil {
		return nil, err
	}
	untracked, err := git(ctx, root, "-c", "core.quotepath=off", "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	c := parseDiff(diff)
	c.revision = revision
	for name := range strings.Lines(untracked) {
		c.whole[strings.TrimSpace(name)] = true
	}
	return c, nil
}

// git runs git in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if said := strings.TrimSpace(stderr.String()); err != nil && said != "" {
		err = fmt.Errorf("git %s: %s", args[0], said)
	} else if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), err
}

// parseDiff reads a diff without context lines.
func parseDiff(diff string) *Changes {
	c := &Changes{lines: make(map[string][]span), whole: make(map[string]bool)}
	file, left := "", 0
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if left > 0 && line != "" && (line[0] == '+' || line[0] == '-') { // a line of a hunk
			left--
			continue
		}
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimSuffix(name, "\t")
			continue
		}
		// @@ -FROM,COUNT +FROM,COUNT @@
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != "@@" {
			continue
		}
		_, gone := parseHunkRange(f[1])
		from, count := parseHunkRange(f[2])
		left = gone + count
		if count == 0 { // lines were removed: the lines around count as changed
			c.lines[file] = append(c.lines[file], span{from, from + 1})
			continue
		}
		c.lines[file] = append(c.lines[file], span{from, from + count - 1})
	}
	return c
}

// parseHunkRange reads "+12,3"; without a count there is one line.
func parseHunkRange(s string) (from, count int) {
	first, rest, ok := strings.Cut(strings.TrimLeft(s, "+-"), ",")
	from, _ = strconv.Atoi(first)
	if count = 1; ok {
		count, _ = strconv.Atoi(rest)
	}
	return from, count
}

// hasChanged reports whether a line was changed.
func (c *Changes) hasChanged(file string, line int) bool {
	if c.whole[file] {
		return true
	}
	for _, s := range c.lines[file] {
		if s.from <= line && line <= s.to {
			return true
		}
	}
	return false
}

// Mark suppresses the findings without a changed line, see report.Finding.ForEachPosition.
func (c *Changes) Mark(r *report.Report) {
	suppress(r, report.ByRevision, func(f *report.Finding) (string, bool) {
		touched := false
		f.ForEachPosition(func(at report.Position) { touched = touched || c.hasChanged(at.File, at.Line) })
		return "no line of it was changed since " + c.revision, !touched
	})
}
