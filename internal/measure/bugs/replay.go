package bugs

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/subjects"
)

// A replayCondition is one setting that replays must not depend on.
type replayCondition struct {
	Name      string
	env       []string
	wrapper   []string // the command, with arguments, that runs gopredict
	busy      bool     // other processes keep all processors busy
	elsewhere bool     // the module is built in another folder
}

// replayConditions are the columns of the table.
var replayConditions = []replayCondition{
	{Name: "as it is"},
	{Name: "one processor", wrapper: []string{"taskset", "-c", "0"}},
	{Name: "under load", busy: true},
	{Name: "GOMAXPROCS=1", env: []string{"GOMAXPROCS=1"}},
	{Name: "GOMAXPROCS=8", env: []string{"GOMAXPROCS=8"}},
	{Name: "built elsewhere", elsewhere: true},
}

// A replayPage is what the template of the page gets.
type replayPage struct {
	N           int // replays of each witness under each condition
	Conditions  []replayCondition
	Witnesses   []*replayWitness
	Repeated    int // recordings and replays of what depends on random choices
	Costs       []replayCost
	Unconfirmed []replayCost
	Rounds      int
	Many        *manyCost
}

// A replayWitness counts how often one witness reached its bug, by condition.
type replayWitness struct {
	Subject, File string
	Reached       []int
	Missed        []string // the reasons of the other replays
}

// replay replays each witness of each subject n times under conditions that could make a replay
// miss its bug; measures what replays cost; and compares recordings and replays of a test that
// depends on random choices. All is as it must be if each replay reached its bug.
func replay(j *run.Job) bool {
	n := j.Int("n", 100, "replay each witness `N` times under each condition")
	j.Parse()
	p := replayPage{N: *n, Conditions: replayConditions, Rounds: timingRounds}
	var subjects []string
	for _, s := range replaySubjects() {
		if j.Matches(s) {
			subjects = append(subjects, s)
		}
	}
	p.reach(j, subjects)
	var timings []timing
	for _, s := range subjects {
		if !slices.Contains(selfChecking, s) { // they have hundreds of replays, of tests like those of other subjects
			run.In(s, func() { timings = append(timings, timeSubject(j, s)...) })
		}
	}
	p.Costs, p.Unconfirmed = replayCosts(timings)
	if j.Matches("hundred") {
		p.Many = manyCandidates(j, 100)
	}
	if j.Matches("chance") {
		j.Succeed(run.Command{Args: []string{"go", "test", "./recorder/hooks", "-count=1", "-timeout=1h",
			"-run", "^TestNothingIsLeftToChance$", "-chance", fmt.Sprint(*n)}})
		p.Repeated = *n
	}
	j.Write(pages, "replay.md", p)
	return p.good()
}

// selfChecking are the subjects whose tests say in comments what is expected.
var selfChecking = []string{"blocking", "failing"}

// replaySubjects are those with a want.json, and selfChecking.
func replaySubjects() []string {
	names := slices.Clone(selfChecking)
	for _, want := range run.Must(filepath.Glob("testdata/*/*/want.json")) {
		names = append(names, filepath.Base(filepath.Dir(want)))
	}
	slices.Sort(names)
	return names
}

// subjectFlags are those that a subject is tested with.
func subjectFlags(subject string) []string {
	if subject == "failing" {
		return []string{"-timeout=2s"}
	}
	var want struct{ Flags []string }
	if !slices.Contains(selfChecking, subject) {
		folder := run.Must(subjects.FindFolder(".", subject))
		run.Check(json.Unmarshal([]byte(run.ReadFile(filepath.Join(folder, "want.json"))), &want))
	}
	return want.Flags
}

// reach makes the witnesses of the subjects and replays each under each condition.
func (p *replayPage) reach(j *run.Job, subjects []string) {
	made := make([][]*replayWitness, len(subjects))
	run.Each(len(subjects), func(i int) {
		run.In(subjects[i], func() { made[i] = makeWitnesses(j, subjects[i]) })
	})
	p.Witnesses = slices.Concat(made...)
	for _, c := range replayConditions {
		j.Log("replaying: %s", c.Name)
		stop := func() {}
		if c.busy {
			stop = keepBusy(j.Context())
		}
		run.Each(len(p.Witnesses), func(i int) { p.Witnesses[i].replay(j, c, p.N) })
		stop()
	}
}

// makeWitnesses makes the witnesses of a copy of the subject, and a copy of that in another
// folder.
func makeWitnesses(j *run.Job, subject string) (all []*replayWitness) {
	dir := run.CopySubject(subject, filepath.Join(j.Dir, "here", subject))
	confirms(j, run.Command{Dir: dir, Args: slices.Concat([]string{j.Tool(), "test"}, subjectFlags(subject), []string{"./..."})})
	run.Check(os.CopyFS(filepath.Join(j.Dir, "elsewhere", "module", subject), os.DirFS(dir)))
	run.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.ToSlash(path), "/testdata/predict/") {
			return err
		}
		file, err := filepath.Rel(dir, path)
		all = append(all, &replayWitness{Subject: subject, File: file})
		return err
	}))
	return all
}

// confirms runs gopredict, which exits with 1 where it confirms a bug.
func confirms(j *run.Job, c run.Command) run.Process { return j.Succeed(c, 1) }

// keepBusy keeps all processors busy until the returned function is called.
func keepBusy(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all []*exec.Cmd
	for range runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		run.Check(cmd.Start())
		all = append(all, cmd)
	}
	return func() {
		cancel()
		for _, cmd := range all {
			cmd.Wait()
		}
	}
}

var (
	reachedIn = regexp.MustCompile(`reached in (\d+) of \d+ replays?`)
	missedIn  = regexp.MustCompile(`(?m)reached in 0 of \d+ replays?: .*|not reached in \d+: .*`)
)

// replay replays the witness n times under a condition.
func (w *replayWitness) replay(j *run.Job, c replayCondition, n int) {
	dir := filepath.Join(j.Dir, "here", w.Subject)
	if c.elsewhere {
		dir = filepath.Join(j.Dir, "elsewhere", "module", w.Subject)
	}
	p := j.Run(run.Command{Dir: dir, Env: c.env, Args: slices.Concat(c.wrapper, []string{j.Tool(), "replay", "-n", strconv.Itoa(n), w.File})})
	m := reachedIn.FindStringSubmatch(p.Output)
	if m == nil {
		run.Fail("%s: %s: gopredict replay %s: %s\n%s", w.Subject, c.Name, w.File, p.State, p.Output)
	}
	w.Reached = append(w.Reached, run.Must(strconv.Atoi(m[1])))
	w.Missed = append(w.Missed, strings.Join(missedIn.FindAllString(p.Output, -1), "; "))
}

// Base is the name of the witness's file.
func (w *replayWitness) Base() string { return filepath.Base(w.File) }

// Misses returns a line for each witness and condition of which some replay did not reach the bug.
func (p replayPage) Misses() (all []string) {
	for _, w := range p.Witnesses {
		for c, why := range w.Missed {
			if w.Reached[c] < p.N {
				all = append(all, fmt.Sprintf("%s, %s, %s: %s", w.Subject, w.Base(), replayConditions[c].Name, why))
			}
		}
	}
	return all
}

// good reports whether each replay reached its bug, and there were any.
func (p replayPage) good() bool {
	return len(p.Misses()) == 0 && (len(p.Witnesses) > 0 || p.Many != nil || p.Repeated > 0)
}
