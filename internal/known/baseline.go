package known

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/given"
	"github.com/gopredict/gopredict/internal/report"
)

// header is the first line of a baseline.
const header = "gopredict baseline v1"

// A Baseline is the bugs that a file names:
//
//	gopredict baseline v1
//	# comment
//	example.com/bank race-4f367a TestReceipt: write a.balance in (*Account).Deposit, …
//
// a line for each, by its package and id; what follows is for the reader. The lines are
// sorted, and hold no numbers of lines, so that they change only with what they tell of.
type Baseline struct {
	name    string
	entries map[entry]int // the line of each
	text    map[entry]string
	found   map[entry]bool
}

// An entry names a bug.
type entry struct{ pkg, id string }

// maxBaseline is the size of the largest baseline that is read, in bytes.
const maxBaseline = 64 << 20

// ReadBaseline reads the baseline at path; one that does not exist is empty. Name is what
// reports and errors call it.
func ReadBaseline(name, path string) (*Baseline, error) {
	f, err := given.Open(path, maxBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return &Baseline{name: name}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseBaseline(name, f)
}

func parseBaseline(name string, r io.Reader) (*Baseline, error) {
	b := &Baseline{name: name, entries: make(map[entry]int), text: make(map[entry]string), found: make(map[entry]bool)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		switch {
		case n == 1:
			if line != header {
				return nil, fmt.Errorf("%s:1: found %.60q, expected %q, as -predict.baseline-write writes it", name, line, header)
			}
		case line == "" || line[0] == '#':
		default:
			words := strings.Fields(line)
			if len(words) < 2 || !strings.Contains(words[1], "-") {
				return nil, fmt.Errorf("%s:%d: found %.60q, expected a package and the id of a bug", name, n, line)
			}
			e := entry{words[0], words[1]}
			b.entries[e], b.text[e] = n, strings.Join(words[2:], " ")
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty, expected %q, as -predict.baseline-write writes it", name, header)
	}
	return b, nil
}

// Mark suppresses the findings that are in the baseline.
func (b *Baseline) Mark(r *report.Report) {
	mark(r, report.ByBaseline, func(f *report.Finding) (string, bool) {
		e := entry{f.Package, f.ID}
		_, ok := b.entries[e]
		if ok {
			b.found[e] = true
		}
		return b.name, ok
	})
}

// Gone tells which bugs of the baseline no finding of the reports that were marked was, of
// those in the packages of r, in the order of their lines.
func (b *Baseline) Gone(r *report.Report) []string {
	var gone []entry
	for e := range b.entries {
		if !b.found[e] && slices.ContainsFunc(r.Packages, func(p report.Package) bool { return p.Package == e.pkg }) {
			gone = append(gone, e)
		}
	}
	slices.SortFunc(gone, func(x, y entry) int { return b.entries[x] - b.entries[y] })
	var out []string
	for _, e := range gone {
		out = append(out, fmt.Sprintf("%s:%d: this run has not confirmed %s", b.name, b.entries[e], e.id))
	}
	return out
}

// WriteBaseline writes a baseline of the confirmed findings of r that no comment ignores, and of
// what before has of other bugs, if it is not nil: of all packages, or, where r is of a run that has
// looked for all bugs of its packages, of the others.
func WriteBaseline(w io.Writer, r *report.Report, before *Baseline, whole bool) error {
	type line struct {
		entry
		text string
	}
	var lines []line
	found := make(map[entry]bool)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status != bug.Confirmed || f.Suppressed != nil {
			continue
		}
		var places []string
		for _, a := range f.Accesses {
			places = append(places, strings.TrimSpace(report.Word(a.Op)+" "+a.Expr)+" in "+a.Func)
		}
		e := entry{f.Package, f.ID}
		found[e] = true
		lines = append(lines, line{e, fmt.Sprintf("%s: %s", f.Test, strings.Join(places, ", "))})
	}
	if before != nil {
		for e, text := range before.text {
			tested := slices.ContainsFunc(r.Packages, func(p report.Package) bool { return p.Package == e.pkg })
			if !found[e] && !(tested && whole) {
				lines = append(lines, line{e, text})
			}
		}
	}
	slices.SortFunc(lines, func(x, y line) int { return cmp.Or(cmp.Compare(x.pkg, y.pkg), cmp.Compare(x.id, y.id)) })
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, header)
	for _, l := range lines {
		fmt.Fprintln(b, l.pkg, l.id, strings.Join(strings.Fields(l.text), " "))
	}
	return b.Flush()
}
