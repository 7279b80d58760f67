package witness

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file declares the file format: its headers, its sections and the fields at the end of a
// step line. The reader and the writer go by these tables.
//
// A witness may come with a pull request of a stranger. Its values become names of files and
// arguments of the test binary, so each value is checked before it is used.

// Version is the version of the file format that this package reads and writes.
const Version = 1

const magic = "gopredict witness v"

// A header is a line at the top of the file: its name, and its values.
type header struct {
	name string
	// required headers are written even if they are empty.
	required bool
	// isList headers have any number of values, others have one.
	isList bool
	get    func(*Witness) []string // nil: it has no value
	set    func(*Witness, []string) error
}

// headers are all headers, in the order in which they are written.
var headers = []header{
	textHeader("id", true, func(w *Witness) *string { return &w.ID }, `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`, "small letters, digits and dashes, such as race-7c1f0a"),
	{"kind", true, false, func(w *Witness) []string { return []string{string(w.Kind)} }, setKind},
	textHeader("pattern", false, func(w *Witness) *string { return &w.Pattern }, `^[^\pC]*$`, "a name in one line"), // the name of a property may have spaces
	textHeader("package", true, func(w *Witness) *string { return &w.Package }, `^[^\s\pC]*$`, "an import path"),
	{"tests", true, true, func(w *Witness) []string { return w.Tests }, setTests},
	textHeader("run", false, func(w *Witness) *string { return &w.RunPattern }, "", ""),
	{"args", false, true, func(w *Witness) []string { return w.Args }, setArgs},
	{"parallel", false, false, func(w *Witness) []string { return []string{numberUnless(w.Parallel, 0)} }, setParallel},
	textHeader("go", true, func(w *Witness) *string { return &w.GoVersion }, "", ""),
	textHeader("recorded", false, func(w *Witness) *string { return &w.RecordedOrder }, `^([a-z]+[0-9]*(/[0-9]+)*)?$`, "an order of goroutines such as oldest"),
	{"atomic", false, false, func(w *Witness) []string { return []string{map[bool]string{true: "methods"}[w.AtomicMethods]} }, setAtomic},
	{"order", false, false, func(w *Witness) []string { return []string{w.Order} }, setOrder},
}

// maxHeader bounds header values that must match a pattern, in bytes.
const maxHeader = 1000

// textHeader returns a header of one value, which is a field of the witness and must match a
// pattern, if there is one.
func textHeader(name string, required bool, field func(*Witness) *string, pattern, want string) header {
	form := regexp.MustCompile(pattern)
	return header{
		name: name, required: required,
		get: func(w *Witness) []string { return []string{*field(w)} },
		set: func(w *Witness, values []string) error {
			*field(w) = values[0]
			return matchesForm(name, values[0], form, pattern, want)
		},
	}
}

// matchesForm returns an error if a value does not match a pattern. "" matches everything.
func matchesForm(name, value string, form *regexp.Regexp, pattern, want string) error {
	if pattern != "" && (len(value) > maxHeader || !form.MatchString(value)) {
		return fmt.Errorf("%s: found %.60q, expected %s", name, value, want)
	}
	return nil
}

func setKind(w *Witness, values []string) error {
	w.Kind = bug.Kind(values[0])
	if words := bug.KindNames(bug.Kinds()); !slices.Contains(words, values[0]) {
		return fmt.Errorf("kind is %.60q, expected one of %s", values[0], strings.Join(words, ", "))
	}
	return nil
}

const testPattern = `^[\pL_][\pL\pN_]*(#[0-9]+)?$`

var testForm = regexp.MustCompile(testPattern)

func setTests(w *Witness, values []string) error {
	w.Tests = values
	for _, v := range values {
		if err := matchesForm("tests", v, testForm, testPattern, "names of functions such as TestTransfer"); err != nil {
			return err
		}
	}
	return nil
}

// KeptFlags are the flags of a test binary that a witness keeps, by their names without "test.":
// they decide what a test does, on every machine. All other test flags are about one run, and name
// files to write.
var KeptFlags = []string{"short", "skip", "parallel"}

// setArgs sets the arguments for the test binary. It is not known which of the user's own flags
// take a value, so any argument may be a flag.
func setArgs(w *Witness, values []string) error {
	w.Args = values
	for _, a := range values {
		flag := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		name, _, _ := strings.Cut(flag, "=")
		test, isTest := strings.CutPrefix(name, "test.")
		switch {
		case strings.Contains(a, "\x00"):
			return errors.New("args: an argument has a zero byte")
		case flag == a: // no dash
		case isTest && !slices.Contains(KeptFlags, test), name == "predict", strings.HasPrefix(name, "predict."):
			return fmt.Errorf("args: a witness keeps -test.%s and flags of the tests' own, found -%.60s", strings.Join(KeptFlags, ", -test."), name)
		}
	}
	return nil
}

func setParallel(w *Witness, values []string) (err error) {
	if w.Parallel, err = strconv.Atoi(values[0]); err != nil || w.Parallel < 1 {
		return fmt.Errorf("parallel is %.40q, expected a number of tests, from 1", values[0])
	}
	return nil
}

func setAtomic(w *Witness, values []string) error {
	if w.AtomicMethods = values[0] == "methods"; !w.AtomicMethods {
		return fmt.Errorf("atomic is %.40q, expected methods", values[0])
	}
	return nil
}

func setOrder(w *Witness, values []string) error {
	if w.Order = values[0]; w.Order != "01" && w.Order != "10" {
		return fmt.Errorf("order is %.40q, expected 01 or 10", w.Order)
	}
	return nil
}

// numberUnless returns n as text, or "" if it is the usual number.
func numberUnless(n, usual int) string {
	if n == usual {
		return ""
	}
	return strconv.Itoa(n)
}

// A section is a list of step lines below its name.
type section struct {
	name  string
	steps func(*Witness) *[]Step
}

// sections are all sections, in the order in which they are written.
var sections = []section{
	{"steps", func(w *Witness) *[]Step { return &w.Steps }},
	{"hold", func(w *Witness) *[]Step { return &w.Holds }},
	{"violation", func(w *Witness) *[]Step { return &w.Violation }},
	{"pooled", func(w *Witness) *[]Step { return &w.PoolSteps }},
	{"anchors", func(w *Witness) *[]Step { return &w.Anchors }},
}

// A stepField is a name=value field at the end of a step line. It is left out if it has the usual
// value: an empty text, or the usual number.
type stepField struct {
	name         string
	text         func(*Step) *string
	number       func(*Step) *int
	usual, least int
}

// stepFields are all except "which", which has two numbers and comes before "occ".
var stepFields = []stepField{
	{name: "site", text: func(s *Step) *string { return &s.SiteOp }},
	{name: "nth", number: func(s *Step) *int { return &s.SiteNumber }},
	{name: "line", text: func(s *Step) *string { return &s.LineText }},
	{name: "occ", number: func(s *Step) *int { return &s.Occurrence }, usual: 1, least: 1},
	{name: "case", number: func(s *Step) *int { return &s.SelectCase }, least: 1},
	{name: "var", number: func(s *Step) *int { return &s.Variable }, least: 1},
	{name: "region", number: func(s *Step) *int { return &s.Region }, least: 1},
	{name: "item", number: func(s *Step) *int { return &s.PoolItem }, least: 1},
	{name: "value", text: func(s *Step) *string { return &s.Value }},
}

// checkStep returns an error if a name in a step is not valid.
func checkStep(s *Step) error {
	if s.Goroutine == "" {
		return errors.New("step line names no goroutine")
	}
	if strings.ContainsFunc(s.Goroutine, isNoNameLetter) {
		return fmt.Errorf("found %.60q as the name of a goroutine, expected one such as TestTransfer:0.1", s.Goroutine)
	}
	return nil
}

// check returns an error if something is missing that a replay needs.
func (w *Witness) check() error {
	switch {
	case w.ID == "":
		return errors.New("the witness has no id")
	case w.Kind == "":
		return errors.New("the witness has no kind")
	case len(w.Tests) == 0:
		return errors.New("the witness names no tests")
	case len(w.Violation) == 0:
		return errors.New("the witness has no violation section: is the end of the file missing?")
	}
	for i, s := range w.Violation {
		if w.InOrder() && (s.Variable == 0 || s.Region == 0) {
			return fmt.Errorf("violating access %d of the %s has no var= or no region=", i+1, w.Kind)
		}
	}
	return nil
}

// correctKind gives a race of an old file its current kind: races of channels and WaitGroups have
// kinds of their own now.
func (w *Witness) correctKind() {
	has := func(op trace.Kind) bool {
		return slices.ContainsFunc(w.Violation, func(s Step) bool { return s.Op == op })
	}
	if w.Kind == bug.Race && has(trace.Close) {
		w.Kind = bug.Channel
	} else if w.Kind == bug.Race && len(w.Violation) == 2 && trace.AreAddAndWait(w.Violation[0].Op, w.Violation[1].Op) {
		w.Kind = bug.WaitGroup
	}
}
