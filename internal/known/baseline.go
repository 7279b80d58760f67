package known

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/untrusted"
)

// header is the first line of a baseline.
const header = "gopredict baseline v1"

// A Baseline is a file of known bugs:
//
//	gopredict baseline v1
//	# comment
//	example.com/bank race-4f367a TestReceipt: write a.balance in (*Account).Deposit, …
//
// Each bug has a line with its package and id; the rest is for readers. The lines are sorted and have
// no line numbers of the program, so that they change only with the bugs.
type Baseline struct {
	name string
	bugs map[entry]*knownBug
}

// An entry names a bug.
type entry struct{ pkg, id string }

// A knownBug is a bug of a baseline.
type knownBug struct {
	line      int
	text      string // for readers
	confirmed bool   // this run has confirmed it
}

// ReadBaseline reads the baseline at path. If there is no file the baseline is empty. Reports and
// errors call it name.
func ReadBaseline(name, path string) (*Baseline, error) {
	f, err := untrusted.Open(path, maxBaseline)
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
	b := &Baseline{name: name, bugs: make(map[entry]*knownBug)}
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
			b.bugs[entry{words[0], words[1]}] = &knownBug{line: n, text: strings.Join(words[2:], " ")}
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
	suppress(r, report.ByBaseline, func(f *report.Finding) (string, bool) {
		known, ok := b.bugs[entry{f.Package, f.ID}]
		if ok {
			known.confirmed = true
		}
		return b.name, ok
	})
}

// Gone returns a warning for each bug of the baseline that no marked report has confirmed, in the
// order of their lines. Bugs of packages that r does not have are left out.
func (b *Baseline) UnconfirmedWarnings(r *report.Report) (warnings []string) {
	var gone []entry
	for e, known := range b.bugs {
		if !known.confirmed && hasPackage(r, e.pkg) {
			gone = append(gone, e)
		}
	}
	slices.SortFunc(gone, func(x, y entry) int { return b.bugs[x].line - b.bugs[y].line })
	for _, e := range gone {
		warnings = append(warnings, fmt.Sprintf("%s:%d: this run has not confirmed %s", b.name, b.bugs[e].line, e.id))
	}
	return warnings
}

// hasPackage reports whether a report is of a package.
func hasPackage(r *report.Report, pkg string) bool {
	return slices.ContainsFunc(r.Packages, func(p report.Package) bool { return p.Package == pkg })
}

// UpdateBaseline writes the baseline at path with the bugs of r, as [WriteBaseline] does with those
// that the file has, and reads it again.
func UpdateBaseline(name, path string, r *report.Report, whole bool) (*Baseline, error) {
	var before *Baseline
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		if before, err = ReadBaseline(name, path); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := WriteBaseline(&b, r, before, whole); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		return nil, err
	}
	return ReadBaseline(name, path)
}

// WriteBaseline writes a baseline of the confirmed findings of r that are not suppressed. Other bugs
// of the baseline before, which may be nil, stay; if the run is whole, which means that it looked for
// all bugs of its packages, only those of other packages stay.
func WriteBaseline(w io.Writer, r *report.Report, before *Baseline, whole bool) error {
	bugs := make(map[entry]string)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status != bug.Confirmed || f.Suppressed != nil {
			continue
		}
		var places []string
		for _, a := range f.Accesses {
			places = append(places, strings.TrimSpace(report.Word(a.Op)+" "+a.Expr)+" in "+a.Func)
		}
		bugs[entry{f.Package, f.ID}] = fmt.Sprintf("%s: %s", f.Test, strings.Join(places, ", "))
	}
	if before != nil {
		for e, known := range before.bugs {
			if _, confirmed := bugs[e]; !confirmed && !(whole && hasPackage(r, e.pkg)) {
				bugs[e] = known.text
			}
		}
	}
	order := func(x, y entry) int { return cmp.Or(cmp.Compare(x.pkg, y.pkg), cmp.Compare(x.id, y.id)) }
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, header)
	for _, e := range slices.SortedFunc(maps.Keys(bugs), order) {
		fmt.Fprintln(b, e.pkg, e.id, strings.Join(strings.Fields(bugs[e]), " "))
	}
	return b.Flush()
}
