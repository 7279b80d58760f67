// Package run is the frame of all suites of `go run ./internal/measure`: arguments, commands
// and what they take, builds of tests, rows that are kept, and pages.
//
// A suite is a function of a [Job]. It declares its flags, calls [Job.Parse], measures its rows
// and gives them to a page. Measuring is a script: an error ends it. So no function here
// returns an error; [Check] and [Must] end the suite with it, and [Main] prints it, much as
// t.FailNow ends a test.
package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

// A Suite is one row of the command.
type Suite struct {
	Name  string // the first argument
	About string // for the list of suites
	// Rooms are the folders whose code the suite measures, with what is below, and its subjects:
	// its page is stale once one of them has changed. None: it has no page, or a test compares it.
	Rooms []string
	// Run measures, and reports whether all is as it must be.
	Run func(j *Job) (good bool)
}

// A Job is one run of a suite.
type Job struct {
	*flag.FlagSet
	Dir string // for files of the suite, absolute; it is removed at the end

	ctx   context.Context
	args  []string
	out   string
	tool  string
	kept  string
	match regexp.Regexp
	rooms []string
	stamp string          // see ownStamp
	rows  func() []string // the stamps of the rows; nil: the suite has none
}

// ownStamp is that of the rooms as they are when the suite begins to measure; "" without rooms.
func (j *Job) ownStamp() string {
	if j.stamp == "" && len(j.rooms) > 0 {
		j.stamp = NewStamp(".", j.rooms).String()
	}
	return j.stamp
}

// stamps are those of what was measured: the job's own, or those of its rows.
func (j *Job) stamps() []string {
	switch own := j.ownStamp(); {
	case own == "":
		return nil
	case j.rows == nil:
		return []string{own}
	}
	return j.rows()
}

// New makes the job of a suite with these arguments. It keeps its files in dir.
func New(ctx context.Context, suite, dir string, args ...string) *Job {
	j := &Job{FlagSet: flag.NewFlagSet(suite, flag.ExitOnError), Dir: Must(filepath.Abs(dir)), ctx: ctx, args: args}
	j.StringVar(&j.out, "o", "", "`FILE` for the page; without it, the page goes to the standard output")
	j.StringVar(&j.tool, "tool", "", "gopredict's `BINARY`; without it, one is built of this module")
	j.StringVar(&j.kept, "rows", "", "`FILE` that keeps what was measured: a row that is there is not measured again")
	j.TextVar(&j.match, "run", regexp.MustCompile(""), "measure only the rows whose names match `PATTERN`")
	return j
}

// Parse parses the arguments, once the suite has declared its flags.
func (j *Job) Parse() { Check(j.FlagSet.Parse(j.args)) }

// Context ends with an interrupt.
func (j *Job) Context() context.Context { return j.ctx }

// Matches reports whether the row of that name is to be measured, as -run says.
func (j *Job) Matches(name string) bool { return j.match.MatchString(name) }

// Log writes a line of progress to standard error.
func (j *Job) Log(format string, args ...any) {
	fmt.Fprintf(os.Stderr, j.Name()+": "+format+"\n", args...)
}

// Sub makes a folder for files of that name.
func (j *Job) Sub(name ...string) string {
	dir := filepath.Join(append([]string{j.Dir}, name...)...)
	Check(os.MkdirAll(dir, 0o777))
	return dir
}

// Tool returns gopredict's binary, which is built at first.
func (j *Job) Tool() string {
	j.ownStamp()
	if j.tool == "" {
		tool := filepath.Join(j.Sub("tool"), "gopredict")
		j.Go(".", "build", "-o", tool, ".")
		j.tool = tool
	}
	return j.tool
}

// Main runs the suite that the arguments begin with and ends the process: with 0 if all is as
// it must be, with 1 if not, and with 3 if there is an error.
func Main(suites []Suite, args []string) {
	for _, s := range suites {
		if len(args) == 0 || s.Name != args[0] {
			continue
		}
		good, err := s.do(args[1:])
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
			os.Exit(3)
		case !good:
			os.Exit(1)
		}
		return
	}
	fmt.Fprintln(os.Stderr, "usage: go run ./internal/measure SUITE [-o PAGE] [-rows FILE] [-run PATTERN] [-tool BINARY] [FLAGS]\n\nSuites are:")
	for _, s := range suites {
		fmt.Fprintf(os.Stderr, "\t%-12s %s\n", s.Name, s.About)
	}
	os.Exit(2)
}

func (s Suite) do(args []string) (good bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", s.Name+"-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	err = Catch(func() {
		j := New(ctx, s.Name, dir, args...)
		j.rooms = s.Rooms
		good = s.Run(j)
	})
	return good, err
}
