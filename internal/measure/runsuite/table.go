package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

func (s *suite) good() bool {
	return !slices.ContainsFunc(s.programs, func(p *program) bool { return p.failed != "" })
}

// table returns the page, in Markdown.
func (s *suite) table() string {
	slices.SortFunc(s.programs, func(a, b *program) int { return cmp.Compare(a.name, b.name) })
	var counted, same, cut int
	var different, out, skipped rows
	for _, p := range s.programs {
		if p.plain != "" {
			out.add(p, p.plain)
			continue
		}
		counted++
		if p.failed != "" {
			different.add(p, p.failed)
		} else {
			same++
		}
		if p.cut {
			cut++
		}
		if p.skipped != "" {
			skipped.add(p, p.skipped)
		}
	}
	text := fmt.Sprintf(page, s.version, len(s.programs), counted, same, counted-same,
		100*float64(counted-same)/float64(max(counted, 1)), cut,
		different.table("what is different"), skipped.table("left alone"), out.table("why"))
	return strings.ReplaceAll(text, s.dir+string(filepath.Separator), "")
}

// rows are those of a table with the programs' names.
type rows struct{ text strings.Builder }

func (r *rows) add(p *program, text string) {
	text = strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
	fmt.Fprintf(&r.text, "| %s | %s |\n", p.name, text)
}

func (r *rows) table(title string) string {
	if r.text.Len() == 0 {
		return "None.\n"
	}
	return "| program | " + title + " |\n|---|---|\n" + r.text.String()
}

const page = `# Go's own programs

Go tests its compiler with programs, those under ` + "`GOROOT/test`" + ` that are
marked ` + "`// run`, `// rundir`, `// runindir` or `// runoutput`" + `; the last kind
writes a program, which counts as one more. This page is written by

    go run ./internal/measure/runsuite -o docs/measured/run-suite.md

which builds and runs each of them plainly, and counts those that pass: they
exit with 0 and print what Go expects. Then it builds them instrumented, runs
them to record, and runs the same binary for nothing. They must pass as well,
and the trace must be whole and legal. Here with %s.

| programs | counted | same | different | different in %% | trace cut off at its limit |
|---|---|---|---|---|---|
| %d | %d | %d | %d | %.2f | %d |

## Different

%s
## Same, but with files that are left alone

%s
## Not counted

These do not pass plainly, built as a user would: by ` + "`go build`" + ` in a module.

%s`
