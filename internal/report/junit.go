package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// The elements of JUnit's XML, as CI systems read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Output     *junitText      `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Output  *junitText    `xml:"system-out,omitempty"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
)

// WriteJUnit writes r as JUnit XML. Each package is a suite, with its output if it failed. The suite
// has a case for each test of the recorded run, and one for each confirmed finding, with the text
// form. The case of a finding fails if the finding made the run fail.
func WriteJUnit(w io.Writer, r *Report) error {
	out := junitSuites{Name: "gopredict", Time: seconds(r.DurationS)}
	for _, pkg := range r.packagesWithFindings() {
		s := junitSuite{Name: pkg.Package, Timestamp: pkg.Started, Time: seconds(pkg.RecordS + pkg.ReplayS), Properties: []junitProperty{{"go.version", r.Go}}}
		failed := false
		for _, t := range pkg.Cases {
			failed = failed || t.Failed
			if t.Failed && slices.Contains(t.Output, NoEndText) {
				t.Output = append(slices.Clone(t.Output), pkg.crashOutput()...)
			}
			s.add(t.junitCase(pkg.Package))
		}
		if len(pkg.Output) > 0 {
			s.Output = &junitText{strings.Map(xmlRune, strings.Join(pkg.Output, "\n"))}
		}
		if !failed && (pkg.Result == "fail" || pkg.Result == "build-failed") {
			what := "The package does not build"
			if pkg.Result == "fail" {
				what = "The package has failed, and none of its tests"
			}
			s.add(junitCase{Class: pkg.Package, Name: "TestMain", Time: seconds(0), Failure: &junitFailure{"Failed", pkg.Result, what + ": what the run has printed says why."}})
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Package != pkg.Package || f.Status != bug.Confirmed {
				continue
			}
			c := junitCase{Class: pkg.Package, Name: f.Test + "/" + f.ID, Time: seconds(0)}
			text, err := f.text()
			if err != nil {
				return err
			}
			text = strings.Map(xmlRune, text)
			if f.Suppressed != nil {
				c.Skipped = &junitSkipped{"known: " + f.Suppressed.Reason}
			} else if f.FailsRun {
				c.Failure = &junitFailure{f.Title() + ": " + f.Sentence(), string(f.Kind), text}
			} else {
				c.Output = &junitText{text}
			}
			s.add(c)
		}
		out.add(s)
	}
	if s := r.suiteOfWitnesses(); s.Tests > 0 {
		out.add(s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "\t")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// packagesWithFindings returns the packages of r, and those that only findings name: the report of a
// replay has no others.
func (r *Report) packagesWithFindings() []Package {
	all := slices.Clone(r.Packages)
	for _, f := range r.Findings {
		if !slices.ContainsFunc(all, func(p Package) bool { return p.Package == f.Package }) {
			all = append(all, Package{Package: f.Package})
		}
	}
	return all
}

// suiteOfWitnesses returns the suite of the witnesses that showed no bug in a run that only replayed
// witnesses. Fixed ones have passed.
func (r *Report) suiteOfWitnesses() junitSuite {
	s := junitSuite{Name: "witnesses", Time: seconds(0), Properties: []junitProperty{{"go.version", r.Go}}}
	for _, w := range r.Witnesses {
		if len(r.Packages) > 0 || w.Status == bug.Confirmed {
			continue
		}
		c := junitCase{Class: s.Name, Name: w.Witness, Time: seconds(0)}
		if w.Status != bug.Fixed {
			c.Skipped = &junitSkipped{strings.Map(xmlRune, string(w.Status)+": "+w.Reason)}
		}
		s.add(c)
	}
	return s
}

func (all *junitSuites) add(s junitSuite) {
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Suites = append(all.Suites, s)
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// junitCase returns the case of a test of a package, with its log as go test prints it.
func (t TestCase) junitCase(pkg string) junitCase {
	c := junitCase{Class: pkg, Name: t.Test, Time: seconds(t.ElapsedS)}
	switch {
	case t.Skipped:
		c.Skipped = &junitSkipped{strings.Map(xmlRune, strings.Join(t.Output, "\n"))}
	case t.Failed:
		var text strings.Builder
		fmt.Fprintf(&text, "--- FAIL: %s (%.2fs)\n", t.Test, t.ElapsedS)
		for _, line := range t.Output {
			fmt.Fprintf(&text, "    %s\n", strings.Map(xmlRune, line))
		}
		c.Failure = &junitFailure{"Failed", "test", text.String()}
	}
	return c
}

// xmlRune replaces characters that XML does not allow.
func xmlRune(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
		return '\ufffd'
	}
	return r
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// text returns the finding in the text form.
func (f *Finding) text() (string, error) {
	var b bytes.Buffer
	err := WriteFinding(&b, f, TextOptions{})
	return b.String(), err
}
