package bugs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A manyCost is what it takes to confirm the candidates of one test, in milliseconds. All are
// medians.
type manyCost struct {
	Candidates, Cores, Rounds int
	All                       float64 // for all candidates, as many concurrently as there are processors
	Single                    float64 // for the candidate of a test that has only one
	Ratio                     float64 // All over Single, of one round
	EachOnOneProcessor        float64 // for each of all candidates, with GOMAXPROCS=1
	EachReplay                float64 // for each of many replays of one witness
}

// writeRaces makes a module with a test in which two goroutines race for n fields.
func writeRaces(dir string, n int) {
	var fields, ones, twos strings.Builder
	for i := range n {
		fmt.Fprintf(&fields, "\n\t\tf%d int", i)
		fmt.Fprintf(&ones, "\t\ts.f%d = 1\n", i)
		fmt.Fprintf(&twos, "\t\ts.f%d = 2\n", i)
	}
	run.WriteFile(filepath.Join(dir, "go.mod"), "module example.com/hundred\n\ngo 1.26\n")
	run.WriteFile(filepath.Join(dir, "hundred_test.go"), fmt.Sprintf(run.ReadEmbedded(pages, "pages/many.go.txt"), &fields, &ones, &twos))
}

// manyCandidates measures what n candidates of one test cost, and the only candidate of another.
func manyCandidates(j *run.Job, n int) *manyCost {
	const rounds = 15
	j.Log("many candidates")
	many, single := filepath.Join(j.Dir, "hundred"), filepath.Join(j.Dir, "single")
	for dir, fields := range map[string]int{many: n, single: 1} {
		writeRaces(dir, fields)
		timeConfirming(j, dir, fields) // builds
	}
	var all, one, times, inTurn, repeated []float64
	for range rounds {
		together, alone := timeConfirming(j, many, n), timeConfirming(j, single, 1)
		all, one, times = append(all, together), append(one, alone), append(times, together/alone)
		inTurn = append(inTurn, timeConfirming(j, many, n, "GOMAXPROCS=1")/float64(n))
		repeated = append(repeated, timeReplaying(j, many))
	}
	return &manyCost{n, runtime.GOMAXPROCS(0), rounds, median(all), median(one), median(times), median(inTurn), median(repeated)}
}

// timeConfirming returns how many milliseconds gopredict takes, with env, from the first to the last
// replay of the n candidates in dir.
func timeConfirming(j *run.Job, dir string, n int, env ...string) float64 {
	moveAway(filepath.Join(dir, "testdata")) // else its witnesses come first
	r, _ := j.PredictWith(run.Command{Dir: dir, Env: env, Args: []string{"."}})
	if r.Totals.Confirmed != n || len(r.Packages) != 1 {
		run.Fail("%s: %d confirmed in %d packages, expected %d in one", dir, r.Totals.Confirmed, len(r.Packages), n)
	}
	return 1000 * r.Packages[0].ReplayS
}

// timeReplaying returns how many milliseconds each of many replays of a witness in dir takes.
func timeReplaying(j *run.Job, dir string) float64 {
	witnesses := run.Must(filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*")))
	if len(witnesses) == 0 {
		run.Fail("no witnesses in %s", dir)
	}
	const more = 200
	var took [2]time.Duration
	for i, n := range []int{1, 1 + more} {
		took[i] = confirms(j, run.Command{Dir: dir, Args: []string{j.Tool(), "replay", "-n", strconv.Itoa(n), witnesses[0]}}).Elapsed
	}
	return ms((took[1] - took[0]) / more)
}

// moveAway renames a folder, if it is there. Removing it would make creating files slow for some
// seconds.
func moveAway(dir string) {
	away := run.Must(os.MkdirTemp(filepath.Dir(filepath.Dir(dir)), "away-"))
	if err := os.Rename(dir, filepath.Join(away, "x")); !errors.Is(err, fs.ErrNotExist) {
		run.Check(err)
	}
}
