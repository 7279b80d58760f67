package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// FailedOutput takes what go test prints, and keeps what the packages that failed have printed: the
// last lines of each.
type FailedOutput struct {
	rest   []byte // the beginning of a line
	lines  []string
	failed map[string][]string // by package
}

// What is kept of a package, and of each line.
const (
	maxOutputLines     = 400
	maxOutputLineBytes = 1000
)

// endOfPackage is how go test ends what a package has printed.
var endOfPackage = regexp.MustCompile(`^(ok  |FAIL|\?   )\t(\S+)(\t| \[)`)

// Write takes a part of what is printed. It never fails.
func (p *FailedOutput) Write(text []byte) (int, error) {
	p.rest = append(p.rest, text...)
	for {
		line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			p.rest = p.rest[:min(len(p.rest), maxOutputLineBytes)]
			return len(text), nil
		}
		p.addLine(string(line[:min(len(line), maxOutputLineBytes)]))
		p.rest = rest
	}
}

func (p *FailedOutput) addLine(line string) {
	end := endOfPackage.FindStringSubmatch(line)
	if end == nil {
		p.lines = append(p.lines, strings.ToValidUTF8(line, "\ufffd"))
		p.lines = p.lines[max(len(p.lines)-maxOutputLines, 0):]
		return
	}
	if end[1] == "FAIL" {
		if p.failed == nil {
			p.failed = make(map[string][]string)
		}
		p.failed[end[2]] = slices.Clone(p.lines)
	}
	p.lines = nil
}

// AddTo adds to the packages of r that have failed what they have printed.
func (p *FailedOutput) AddTo(r *Report) {
	for i := range r.Packages {
		if pkg := &r.Packages[i]; pkg.Result == "fail" {
			pkg.Output = p.failed[pkg.Package]
		}
	}
}

// crashOutput is the end of what a package has printed, from where it says why the program has died;
// nil if it did not.
func (p *Package) crashOutput() []string {
	at := slices.IndexFunc(p.Output, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
	if at < 0 {
		return nil
	}
	return p.Output[at:]
}
