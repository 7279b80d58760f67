package others

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// reasons say why a result differs that is not a bug of gopredict, by the package and name of the
// test; verdicts what looking at the confirmed findings of a test by hand has shown, by its name,
// or by its name and the findings' kind.
var (
	reasons  = run.ReadKnown(pages, "pages/suite-reasons.txt")
	verdicts = run.ReadKnown(pages, "pages/suite-verdicts.txt")
)

// Reason returns why the results differ; "" stands for a bug of gopredict.
func (d difference) Reason() string { return reasons[d.Test] }

// verdict is what looking at f by hand has shown.
func verdict(f report.Finding) string {
	if v := verdicts[f.Test+" "+string(f.Kind)]; v != "" {
		return v
	}
	return verdicts[f.Test]
}

// shownHarmless is how many findings without effect the page has of one test and kind.
const shownHarmless = 5

// A shownFinding is a confirmed finding on the page.
type shownFinding struct {
	report.Finding
	Places  string // "read bank.go:31, write bank.go:40"
	Verdict string
}

// Shown are the confirmed findings that the page has.
func (r suiteRow) Shown() (all []shownFinding) {
	harmless := make(map[string]int) // by test and kind
	for _, f := range r.Confirmed {
		if f.Effect == bug.NoEffect {
			if harmless[f.Test+" "+string(f.Kind)]++; harmless[f.Test+" "+string(f.Kind)] > shownHarmless {
				continue
			}
		}
		var places []string
		for _, a := range f.Accesses {
			places = append(places, fmt.Sprintf("%s %s:%d", a.Op, a.File, a.Line))
		}
		all = append(all, shownFinding{f, strings.Join(places, ", "), verdict(f)})
	}
	return all
}

// ConfirmedOf counts the confirmed findings of a kind.
func (r suiteRow) ConfirmedOf(kind string) int {
	return len(slices.DeleteFunc(slices.Clone(r.Confirmed), func(f report.Finding) bool { return string(f.Kind) != kind }))
}

// TraceMiB is the size of all traces.
func (r suiteRow) TraceMiB() float64 { return float64(r.TraceBytes) / (1 << 20) }

// More is how much longer the command takes with exploring.
func (c exploringCost) Ratio() float64 { return c.WithExploring / c.WithoutExploring }

// A suitePage is what the template of the page gets.
type suitePage struct {
	Suite   string // the command's argument
	Title   string
	Version string // of Go
	Cores   int
	Rows    []suiteRow
}
