package bugs

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// A correctRow is what was measured of one package of testdata/negatives/correct.
type correctRow struct {
	Name                   string
	Tests, Failed, Races   int // of count runs of each with -race
	Default, Explored      correctCount
	Wrong                  []string // findings that are confirmed: none of them is true
	Seconds, ExploredTaken float64  // of the processor, with building
}

// A correctCount counts the findings of one command.
type correctCount struct{ Confirmed, Unconfirmed, Infeasible, Pruned, Events int }

// correct runs tests that are correct with -race, with gopredict, and with exploring. All is as it
// must be if nothing is confirmed in any of them, not even a warning.
func correct(j *run.Job) bool {
	count := j.Int("count", 50, "how many times each test runs with -race, in an order of chance")
	explore := j.Int("explore", 20, "how many runs of each test are explored")
	j.Parse()
	rows := run.LoadRows[correctRow](j)
	dir := run.CopySubject("correct", filepath.Join(j.Dir, "correct"))
	page := struct {
		Count, Explore int
		Rows           []correctRow
	}{Count: *count, Explore: *explore}
	good := true
	for _, folder := range j.Packages(dir, "./...") {
		name := filepath.Base(folder)
		rows.Measure(name, func() correctRow { return measureCorrect(j, dir, name, *count, *explore) })
		if r, ok := rows.Get(name); ok {
			page.Rows = append(page.Rows, r)
			good = good && len(r.Wrong) == 0 && r.Failed == 0 && r.Races == 0
		}
	}
	j.Write(pages, "correct.md", page)
	return good
}

// measureCorrect measures one package.
func measureCorrect(j *run.Job, dir, name string, count, explore int) correctRow {
	r := correctRow{Name: name}
	p := j.Run(run.Command{Dir: dir, Args: []string{"go", "test", "-race", fmt.Sprint("-count=", count), "-shuffle=on", "-v", "./" + name}})
	r.Failed, r.Races = strings.Count(p.Output, "--- FAIL: "), strings.Count(p.Output, "WARNING: DATA RACE")
	found, p := j.Predict(dir, "-count=1", "./"+name)
	r.Tests, r.Default, r.Seconds = found.Packages[0].Tests, r.read(found), p.Processor.Seconds()
	found, p = j.Predict(dir, "-count=1", fmt.Sprint("-predict.explore=", explore), "./"+name)
	r.Explored, r.ExploredTaken = r.read(found), p.Processor.Seconds()
	return r
}

// read counts the findings of a report, and keeps those that are confirmed.
func (r *correctRow) read(found *report.Report) (c correctCount) {
	for _, f := range found.Findings {
		switch f.Status {
		case bug.Confirmed:
			c.Confirmed++
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s in %s: %s", f.Kind, f.Test, run.Place(f.Accesses[0].File, f.Accesses[0].Line)))
		case bug.Infeasible:
			c.Infeasible++
		default:
			c.Unconfirmed++
		}
	}
	c.Pruned = found.Totals.Pruned
	for _, p := range found.Packages {
		c.Events += p.Events
	}
	return c
}
