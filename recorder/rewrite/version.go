package rewrite

import (
	"bytes"
	"go/build/constraint"
	"go/version"
	"strconv"
	"strings"
)

// firstGenericVersion is the first language version that the hooks can be called in.
const firstGenericVersion = "go1.18"

// raiseVersion makes a file of a module whose go line is older than generics one
// of Go 1.21: the compiler takes the version of a file from its build
// constraint, and 1.21 is the lowest that a constraint can ask for. It differs
// from older ones in nothing that changes the meaning of a program. The line
// that this adds is taken back by a line directive that names the file path.
func raiseVersion(text, path string) (string, error) {
	const want = "go1.21"
	lines := strings.SplitAfter(text, "\n")
	var plus constraint.Expr
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if constraint.IsGoBuild(trimmed) {
			x, err := constraint.Parse(trimmed)
			if err != nil {
				return "", err
			}
			lines[i] = "//go:build (" + x.String() + ") && " + want + line[len(strings.TrimRight(line, "\r\n")):]
			return strings.Join(lines, ""), nil
		}
		if constraint.IsPlusBuild(trimmed) {
			x, err := constraint.Parse(trimmed)
			if err != nil {
				return "", err
			}
			if plus != nil {
				x = &constraint.AndExpr{X: plus, Y: x}
			}
			plus = x
		}
		if strings.HasPrefix(trimmed, "package ") {
			break
		}
	}
	expr := want
	if plus != nil {
		expr = "(" + plus.String() + ") && " + want
	}
	body, bom := strings.CutPrefix(text, "\ufeff")
	head := "//go:build " + expr + "\n\n//line " + path + ":1\n"
	if bom {
		head = "\ufeff" + head
	}
	return head + body, nil
}

// isOlder reports whether language version v, "" for the newest, is older than w.
func isOlder(v, w string) bool { return v != "" && version.Compare(v, w) < 0 }

// hasLineDirectives reports whether src gives lines other numbers than their
// own, as generated files do.
func hasLineDirectives(src []byte) bool {
	return bytes.Contains(src, []byte("//line ")) || bytes.Contains(src, []byte("/*line "))
}

// quote is s as a Go string literal.
func quote(s string) string { return strconv.Quote(s) }
