package bugs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// An answer is what gopredict replay says of a bug.
type answer string

const (
	bugPresent     answer = "there"
	bugFixed       answer = "fixed"
	cannotTell     answer = "cannot tell"
	doesNotCompile answer = "" // with this edit
)

// answers maps the exit codes of gopredict replay to answers.
var answers = map[int]answer{0: bugFixed, 1: bugPresent, 2: cannotTell}

// editsPerAnswer is how many edits there are of each subject that leave the bug there, and how many
// that fix it.
var editsPerAnswer = map[answer]int{bugPresent: 40, bugFixed: 20}

// An editRow is one edit of one subject.
type editRow struct {
	Subject, Edit    string
	Expected, Answer answer
	Reason           string // given by gopredict where the answer is not the expected one
}

// edits changes the code that surrounds bugs of testdata's subjects, and asks gopredict replay
// what has become of each bug, with the witness of the sources before. All is as it must be if no
// answer is wrong, and less than a tenth say nothing.
func edits(j *run.Job) bool {
	j.Parse()
	rows := run.LoadRows[editRow](j)
	var asked []editRow
	for _, s := range readEdited() {
		run.In(s.name, func() { asked = append(asked, s.ask(j, rows)...) })
	}
	page := newEditPage(asked)
	page.All = len(readEdited()) * (editsPerAnswer[bugPresent] + editsPerAnswer[bugFixed])
	j.Write(pages, "edits.md", page)
	return page.good()
}

// ask replays the witness of one subject after edits, until there are enough rows for each expected
// answer. It returns these rows.
func (s editedSubject) ask(j *run.Job, rows *run.Rows[editRow]) (asked []editRow) {
	witness, all := "", true
	counts := make(map[answer]int)
	for k, e := range s.edits {
		name := s.name + "/" + e.name
		if counts[e.expected] == editsPerAnswer[e.expected] {
			continue
		}
		rows.Measure(name, func() editRow {
			dir := s.copy(filepath.Join(j.Dir, fmt.Sprintf("%s-%d", s.name, k)))
			defer os.RemoveAll(dir)
			if !e.apply(dir) {
				return editRow{}
			}
			if witness == "" {
				witness = s.record(j)
			}
			return s.replay(j, e, dir, witness)
		})
		row, ok := rows.Get(name)
		all = all && ok
		if row.Answer != doesNotCompile {
			counts[e.expected]++
			asked = append(asked, row)
		}
	}
	if all && !maps.Equal(counts, editsPerAnswer) {
		run.Fail("%v edits by what they do, expected %v", counts, editsPerAnswer)
	}
	return asked
}

// record returns the file of the witness of the subject's bug.
func (s editedSubject) record(j *run.Job) string {
	dir := s.copy(filepath.Join(j.Dir, s.name))
	p := j.Run(run.Command{Dir: dir, Args: []string{j.Tool(), "test", "-run=^" + s.test + "$", "-predict.kinds=" + s.kind, "."}})
	files := run.Must(filepath.Glob(filepath.Join(dir, "testdata", "predict", s.test, s.kind+"-*")))
	if len(files) == 0 {
		run.Fail("expected a witness of kind %s, found none\n%s", s.kind, p.Output)
	}
	return files[0]
}

// doesNotBuild matches what gopredict replay prints if the edited module does not compile.
var doesNotBuild = regexp.MustCompile(`(?m)^gopredict: .* does not build$`)

// replay asks what has become of the bug after an edit.
func (s editedSubject) replay(j *run.Job, e edit, dir, witness string) editRow {
	r := editRow{Subject: s.name, Edit: e.name, Expected: e.expected}
	file := filepath.Join(dir, "testdata", "predict", s.test, filepath.Base(witness))
	run.WriteFile(file, run.ReadFile(witness))
	p := j.Run(run.Command{Dir: dir, Args: []string{j.Tool(), "replay", file}})
	if doesNotBuild.MatchString(p.Output) {
		return r
	}
	var ok bool
	if r.Answer, ok = answers[p.Code]; !ok {
		run.Fail("gopredict replay: exit code %d\n%s", p.Code, p.Output)
	}
	if r.Answer != r.Expected {
		lines := strings.Split(strings.TrimSpace(p.Output), "\n")
		_, r.Reason, _ = strings.Cut(lines[len(lines)-1], ": ")
	}
	j.Log("%s, %s: %s, which is %s %s", r.Subject, r.Edit, r.Answer, r.Expected, r.Reason)
	return r
}

// An editPage is what the template of the page gets.
type editPage struct {
	Subjects []editCounts // and all of them together
	Asked    int
	All      int       // edits of all subjects
	Wrong    []editRow // where the answer is not the expected one
}

// editCounts are numbers of edits of one subject, by "EXPECTED/ANSWER".
type editCounts struct {
	Name string
	N    map[string]int
}

func newEditPage(rows []editRow) (p editPage) {
	all := editCounts{"all", make(map[string]int)}
	for _, r := range rows {
		if n := len(p.Subjects); n == 0 || p.Subjects[n-1].Name != r.Subject {
			p.Subjects = append(p.Subjects, editCounts{r.Subject, make(map[string]int)})
		}
		key := string(r.Expected + "/" + r.Answer)
		p.Subjects[len(p.Subjects)-1].N[key]++
		all.N[key]++
		if r.Answer != r.Expected {
			p.Wrong = append(p.Wrong, r)
		}
	}
	p.Subjects, p.Asked = append(p.Subjects, all), len(rows)
	return p
}

func (p editPage) good() bool {
	return 10*len(p.Wrong) < p.Asked && !slices.ContainsFunc(p.Wrong, func(r editRow) bool { return r.Answer != cannotTell })
}
