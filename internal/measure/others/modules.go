package others

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// wholeModules are those whose suites are run.
var wholeModules = strings.Fields(run.ReadEmbedded(pages, "pages/modules.txt"))

// moduleLimit is how long one command may take.
const moduleLimit = 30 * time.Minute

// A moduleRow is what was measured of one module.
type moduleRow struct {
	Plain, Race, Predict moduleCost
	Candidates, Pruned   int
	Confirmed, Undecided int
	Infeasible           int
	Recording            float64        // seconds of the recorded runs
	After                float64        // seconds from the end of these to that of the command: analysis and replays
	Events               int            // recorded in these
	Reasons              map[string]int // of what is undecided: how many
}

// A moduleCost is of one command.
type moduleCost struct {
	Processor, Elapsed float64 // seconds, of the processor with all children
	Memory             float64 // of the largest process, in MiB
	Ended              bool    // within the limit
}

// modules runs the whole suites of public modules. All is as it must be if each command ended
// within its limit.
func measureModules(j *run.Job) bool {
	earlier := j.String("before", "", "`FILE` that -rows of an earlier gopredict has written, to compare with")
	j.Parse()
	rows := run.LoadRows[moduleRow](j)
	good := true
	for _, module := range wholeModules {
		rows.Measure(module, func() moduleRow { return measureModule(j, module) })
		if r, ok := rows.Get(module); ok {
			good = good && r.Plain.Ended && r.Race.Ended && r.Predict.Ended
		}
	}
	j.Write(pages, "modules.md", newModulePage(rows.Get, run.ReadRows[moduleRow](*earlier)))
	return good
}

// measureModule runs the suite of one module. All is built before, so that no build is measured.
func measureModule(j *run.Job, module string) (r moduleRow) {
	dir := filepath.Join(run.Must(os.MkdirTemp(j.Dir, "module-")), "module")
	defer os.RemoveAll(dir)
	j.Download(module, dir)
	args := func(only string) []string { return []string{"-count=1", only, "./..."} }
	const nothing, all = "-run=^$", "-run=."
	for _, way := range []struct {
		cost *moduleCost
		args []string
	}{{&r.Plain, []string{"go", "test"}}, {&r.Race, []string{"go", "test", "-race"}}} {
		for _, only := range []string{nothing, all} {
			*way.cost = newModuleCost(j.Run(run.Command{Dir: dir, Limit: moduleLimit, Args: slices.Concat(way.args, args(only))}))
		}
	}
	j.Predict(dir, args(nothing)...)
	err := run.Catch(func() {
		found, p := j.PredictWith(run.Command{Dir: dir, Limit: moduleLimit, Args: args(all)})
		r.Predict = newModuleCost(p)
		r.read(found)
	})
	if err != nil {
		j.Log("%s: %v", module, err) // r.Predict has not ended
	}
	return r
}

func newModuleCost(p run.Process) moduleCost {
	return moduleCost{p.Processor.Seconds(), p.Elapsed.Seconds(), p.Memory, p.Ended}
}

// numbers, names and places in reasons differ where the cause is one.
var (
	numbers = regexp.MustCompile(`\d+(,\d{3})*`)
	named   = regexp.MustCompile(`but .* (may find something else|may choose another case|may come in another order|may come out otherwise).*`)
	because = regexp.MustCompile(`(: the orders that lead there would change|: each of these would have to come before|, and the last before the first: ).*`)
	placed  = regexp.MustCompile(`( is at | waits for goroutine | has ended without ).*`)
)

// cause is what reasons have in common.
func cause(reason string) string {
	reason = named.ReplaceAllString(reason, "but a read, a branch, a select or a message $1")
	return numbers.ReplaceAllString(placed.ReplaceAllString(because.ReplaceAllString(reason, ""), "$1…"), "N")
}

// read takes the numbers from the command's report.
func (r *moduleRow) read(found *report.Report) {
	r.After = found.DurationS - found.TestedS
	r.Candidates, r.Pruned, r.Infeasible = found.Totals.Candidates, found.Totals.Pruned, found.Totals.Infeasible
	for _, p := range found.Packages {
		r.Events += p.Events
		r.Recording += p.RecordS
	}
	r.Reasons = make(map[string]int)
	for _, f := range found.Findings {
		switch f.Status {
		case bug.Confirmed:
			r.Confirmed++
		case bug.Infeasible:
		default:
			r.Undecided++
			r.Reasons[cause(f.Reason)]++
		}
	}
}

// A modulePage is what the template of the page gets.
type modulePage struct {
	Lines   []moduleLine
	Missing []string
	Reasons []string // lines of a table
}

type moduleLine struct {
	moduleRow
	Name   string
	Before *moduleRow // nil: it was not measured then
}

// Ratio is gopredict's processor time over that of -race.
func (l moduleLine) Ratio() float64 { return l.Predict.Processor / l.Race.Processor }

// UndecidedShare is in percent of the candidates.
func (l moduleLine) UndecidedShare() float64 {
	return 100 * float64(l.Undecided) / float64(max(l.Candidates, 1))
}

func newModulePage(get func(string) (moduleRow, bool), before map[string]moduleRow) (p modulePage) {
	reasons := make(map[string]int)
	for _, module := range wholeModules {
		r, ok := get(module)
		if !ok {
			p.Missing = append(p.Missing, module)
			continue
		}
		line := moduleLine{moduleRow: r, Name: module}
		if was, ok := before[module]; ok {
			line.Before = &was
		}
		p.Lines = append(p.Lines, line)
		for reason, n := range r.Reasons {
			reasons[reason] += n
		}
	}
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(v, w string) int {
		return cmp.Or(cmp.Compare(reasons[w], reasons[v]), cmp.Compare(v, w))
	}) {
		p.Reasons = append(p.Reasons, fmt.Sprintf("| %d | %s |", reasons[reason], run.Cell(cmp.Or(reason, "none is told"))))
	}
	return p
}
