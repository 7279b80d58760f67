package theory

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// An oracle is a test that compares the analysis with all that random traces or programs can do,
// and logs how much of it there was.
type oracle struct{ about, room, test, size string }

// oracles are those that the documentation speaks of, with as many traces as take some seconds.
var oracles = []oracle{
	{"causality graphs and all runs", "./analysis/causality", "TestOracle", "-traces=400"},
	{"schedules of patterns and all runs", "./analysis/schedule", "TestEveryRealAnomalyHasSchedule", "-traces=500"},
	{"one cone for all pairs of accesses, and a schedule for each", "./analysis/schedule", "TestMeetFindsWhatConesFind", "-traces=1000"},
	{"the must clock, the solver and all runs", "./analysis/symbolic", "TestOracle", "-traces=40"},
	{"values, and all runs of programs that compute", "./analysis/symbolic", "TestOracleOfValues", "-traces=200"},
	{"where programs depart from what was recorded", "./analysis/symbolic", "TestOracleOfDepartures", "-traces=200"},
	{"selects that can choose another case", "./analysis/symbolic", "TestOracleOfChoices", "-traces=500"},
	{"all pairs at two places, and all runs", "./analysis", "TestOracleOfPairs", ""},
	{"all matches of a pattern at its places, and all runs", "./analysis", "TestOracleOfMatches", "-programs=500"},
	{"deadlocks and the stuck states of programs", "./analysis", "TestDeadlocksOracle", ""},
	{"misuse and what programs do", "./analysis", "TestMisuseOracle", ""},
	{"properties, sliced, and all runs of programs with branches", "./analysis", "TestSlicedOracle", "-sliced=500"},
	{"races by slices, and all runs of programs with branches", "./analysis", "TestSlicedRacesOracle", "-sliced=500"},
	{"the fewest switches to a failing assertion", "./analysis", "TestFewestSwitches", ""},
	{"assertions in two recordings together, and all runs of programs", "./analysis/merged", "TestOracle", "-programs=400"},
	{"predictions that are lost where events that conflict with none are left out", "./analysis/reduce", "TestDropConflictFree", ""},
}

// command is how the oracle is run by hand.
func (o oracle) command() string {
	return strings.TrimSpace("go test -v " + o.room + " -run '^" + o.test + "$' " + o.size)
}

// An oracleRow is what one oracle has logged.
type oracleRow struct {
	About, Command string
	Said           []string // "SUBTEST: LINE", or the line
	Seconds        float64  // of the processor
}

// compareWithAll runs the oracles. All is as it must be if they pass.
func compareWithAll(j *run.Job) bool {
	j.Parse()
	rows := run.LoadRows[oracleRow](j)
	var page struct{ Rows []oracleRow }
	for _, o := range oracles {
		rows.Measure(o.command(), func() oracleRow {
			args := []string{"go", "test", "-v", "-count=1", "-vet=off", "-timeout=0", "-run=^" + o.test + "$", o.room}
			if o.size != "" {
				args = append(args, o.size)
			}
			p := j.Succeed(run.Command{Args: args})
			return oracleRow{o.about, o.command(), logged(p.Output), p.Processor.Seconds()}
		})
		if r, ok := rows.Get(o.command()); ok {
			page.Rows = append(page.Rows, r)
		}
	}
	j.Write(pages, "oracles.md", page)
	return true
}

var (
	currentTest = regexp.MustCompile(`^=== (?:RUN|CONT|NAME)\s+(\S+)$`)
	resultLine  = regexp.MustCompile(`^\s*--- (?:PASS|FAIL|SKIP): (\S+) `)
	logLine     = regexp.MustCompile(`^\s*\w+_test\.go:\d+: (.*)$`)
)

// logged returns what a verbose test and its subtests have logged, in the order of their names.
func logged(output string) (all []string) {
	var test string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if m := currentTest.FindStringSubmatch(line); m != nil {
			test = m[1]
		} else if m := resultLine.FindStringSubmatch(line); m != nil {
			test = m[1]
		} else if m := logLine.FindStringSubmatch(line); m != nil {
			_, subtest, _ := strings.Cut(test, "/")
			if subtest != "" {
				m[1] = strings.ReplaceAll(subtest, "_", " ") + ": " + m[1]
			}
			all = append(all, m[1])
		}
	}
	slices.Sort(all)
	return all
}
