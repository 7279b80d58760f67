package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A program is a package of testdata/papers/programs, or one of its tests.
type program struct {
	name string // "account", "collections/TestHashSet"
	bugs []known
}

// A known bug is what was counted by hand: a kind and places, and whether it is real.
type known struct {
	kind   bug.Kind
	places []string // "account.go:17r", the last letter for reads and writes
	real   bool
	note   string // why it is not, or what a run needs to show it
}

// String is what findings are compared by: the kind and the lines. As in the reports,
// and in PECAN's table, what happens at the same lines in another order is the same
// bug, and what x++ reads and what it writes is one place.
func (b known) String() string {
	var lines []string
	for _, place := range b.places {
		lines = append(lines, strings.TrimRight(place, "rw"))
	}
	slices.Sort(lines)
	return string(b.kind) + " " + strings.Join(lines, " ")
}

// readPrograms reads a bugs.txt: lines such as
//
//	race account.go:17r account.go:32w real
//	race loader.go:18w loader.go:31r false: it is loaded
//
// and "test NAME", for the lines that follow. "#" begins a comment.
func readPrograms(file string) ([]program, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ps := []program{{name: filepath.Base(filepath.Dir(file))}}
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) == 2 && fields[0] == "test" {
			ps = append(ps, program{name: ps[0].name + "/" + fields[1]})
			continue
		}
		verdict := slices.IndexFunc(fields, func(f string) bool { return f == "real" || f == "real:" || f == "false:" })
		if verdict < 3 {
			return nil, fmt.Errorf("%s:%d: expected a kind, places, and \"real\" or \"false: why\", found %q", file, n+1, line)
		}
		p := &ps[len(ps)-1]
		p.bugs = append(p.bugs, known{bug.Kind(fields[0]), fields[1:verdict], fields[verdict] != "false:", strings.Join(fields[verdict+1:], " ")})
	}
	if len(ps) > 1 { // the package itself is none
		ps = ps[1:]
	}
	return ps, nil
}
