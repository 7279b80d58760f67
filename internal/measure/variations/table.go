package main

import (
	"fmt"
	"strings"
)

// ok reports whether v, a test of p, came out as it must: a bug that -race sees is
// confirmed, and there is none where all is right.
func (p *pkg) ok(v *variation) bool {
	if p.name == right || v.warms {
		return !v.anything()
	}
	return v.confirmed() != "" || v.seen == 0
}

// anything reports whether there is any confirmed finding.
func (v *variation) anything() bool {
	for _, f := range v.findings {
		if f.Status == "confirmed" {
			return true
		}
	}
	return false
}

func (s *subject) good() bool {
	for _, p := range s.pkgs {
		for _, v := range p.tests {
			if !p.ok(v) {
				return false
			}
		}
	}
	return true
}

// table returns the page, in Markdown.
func (s *subject) table() string {
	var sums, rows strings.Builder
	for _, p := range s.pkgs {
		var all, seen, confirmed, both int
		fmt.Fprintf(&rows, "\n## %s\n\n%s\n\n| test | form | -race: of %d | gopredict |\n|---|---|---|---|\n",
			p.name, p.doc, p.tests[0].runs)
		for _, v := range p.tests {
			if v.warms {
				continue
			}
			all++
			if v.seen > 0 {
				seen++
			}
			result := v.confirmed()
			switch {
			case result != "":
				confirmed++
				if v.seen > 0 {
					both++
				}
				result = "confirmed: " + result
			case p.name == right:
				result = "nothing"
			default:
				result = v.lost()
			}
			if !p.ok(v) {
				result = "**" + result + "**"
			}
			fmt.Fprintf(&rows, "| %s | %s | %d | %s |\n", v.name, cell(v.form), v.seen, cell(result))
		}
		fmt.Fprintf(&sums, "| %s | %d | %d | %d | %d |\n", p.name, all, seen, confirmed, seen-both)
	}
	return fmt.Sprintf(page, sums.String(), rows.String())
}

// cell makes text fit into a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}

const page = `# Variations

Small tests, each with one bug as users write it, of ` + "`testdata/kinds/variations`" + `, beside
` + "`go test -race -count=50`" + `. This page is written by

    go run ./internal/measure/variations -o docs/measured/variations.md

which runs each test so many times with -race, and all with one ` + "`gopredict test`" + `. In how
many runs -race sees a race, or the test fails, is a matter of chance. What came out
as it must not is in bold. The package right has no bugs.

| package | tests | -race sees | gopredict confirms | -race only |
|---|---|---|---|---|
%s%s`
