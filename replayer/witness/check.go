package witness

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// A witness may come with a pull request of somebody. What it says becomes names of files
// and arguments of the test binary, and so is checked here before anything is done with it.

// maxFile is the size of the largest witness that is read, in bytes, and maxSteps how many
// lines of steps it may have.
const (
	maxFile  = 64 << 20
	maxSteps = 1 << 20
)

// A form is what a header's values must look like.
type headerForm struct {
	is    *regexp.Regexp
	want  string
	empty bool // "" will do, too
}

// forms are those of the headers that have one. What stands in tests and id are names of a
// folder and a file.
var headerForms = map[string]headerForm{
	"id":       {regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`), "small letters, digits and dashes, such as race-7c1f0a", false},
	"pattern":  {regexp.MustCompile(`^[^\pC]+$`), "a name in one line", true}, // that of a property may have spaces
	"package":  {regexp.MustCompile(`^[^\s\pC]+$`), "an import path", true},
	"tests":    {regexp.MustCompile(`^[\pL_][\pL\pN_]*(#[0-9]+)?$`), "names of functions such as TestTransfer", false},
	"recorded": {regexp.MustCompile(`^[a-z]+[0-9]*(/[0-9]+)*$`), "an order of goroutines such as oldest", true},
}

// maxName is the length of the longest value that has a form, in bytes.
const maxName = 1000

// checkHeader returns what is wrong with the values of a header.
func checkHeader(key string, values []string) error {
	switch f, ok := headerForms[key]; {
	case ok:
		for _, v := range values {
			if len(v) > maxName || !f.is.MatchString(v) && (v != "" || !f.empty) {
				return fmt.Errorf("%s: found %.60q, expected %s", key, v, f.want)
			}
		}
	case key == "kind" && !slices.Contains(bug.Words(bug.Kinds()), values[0]):
		return fmt.Errorf("kind is %.60q, expected one of %s", values[0], strings.Join(bug.Words(bug.Kinds()), ", "))
	case key == "args":
		return checkArgs(values)
	}
	return nil
}

// LastingFlags are the flags of a test binary that a witness keeps, by their names without
// "test.": they decide what a test does, on every machine. All others are for a run, not
// for a bug, and name files to write.
var LastingFlags = []string{"short", "skip", "parallel"}

// checkArgs returns what is wrong with arguments for the test binary. Which of the user's
// own flags take a value nobody knows, so that any argument may be read as a flag.
func checkArgs(args []string) error {
	for _, a := range args {
		flag := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		name, _, _ := strings.Cut(flag, "=")
		test, isTest := strings.CutPrefix(name, "test.")
		switch {
		case strings.Contains(a, "\x00"):
			return errors.New("args: an argument has a zero byte")
		case flag == a: // no dash
		case isTest && !slices.Contains(LastingFlags, test), name == "predict", strings.HasPrefix(name, "predict."):
			return fmt.Errorf("args: a witness keeps -test.%s and flags of the tests' own, found -%.60s", strings.Join(LastingFlags, ", -test."), name)
		}
	}
	return nil
}

// checkStep returns what is wrong with the names in a step.
func checkStep(s *Step) error {
	if s.Goroutine == "" {
		return errors.New("step line names no goroutine")
	}
	if strings.ContainsFunc(s.Goroutine, notInName) {
		return fmt.Errorf("found %.60q as the name of a goroutine, expected one such as TestTransfer:0.1", s.Goroutine)
	}
	return nil
}
