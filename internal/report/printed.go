package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// FailedOutput is an io.Writer for the output of go test. It keeps the last lines of each package
// that failed.
type FailedOutput struct {
	rest   []byte // the beginning of a line
	lines  []string
	failed map[string][]string // by package
}

// endOfPackage matches the line of go test that ends the output of a package.
var endOfPackage = regexp.MustCompile(`^(ok  |FAIL|\?   )\t(\S+)(\t| \[)`)

// Write takes a part of the output. It never fails.
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

// AddTo adds to the failed packages of r their output.
func (p *FailedOutput) AddTo(r *Report) {
	for i := range r.Packages {
		if pkg := &r.Packages[i]; pkg.Result == "fail" {
			pkg.Output = p.failed[pkg.Package]
		}
	}
}

// crashOutput returns the output of a package from the line that says why the program crashed; nil if
// it did not crash.
func (p *Package) crashOutput() []string {
	at := slices.IndexFunc(p.Output, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
	if at < 0 {
		return nil
	}
	return p.Output[at:]
}
