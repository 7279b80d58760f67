package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
)

// A finding is what the table needs of one finding of the JSON report.
type finding struct {
	Kind                  bug.Kind
	Status                bug.Status
	Effect                bug.Effect
	Reason, Package, Test string
}

// shows reports whether f is confirmed, and a bug beyond doubt: it fails the run.
func (f finding) shows() bool {
	return f.Status == bug.Confirmed && (f.Effect != bug.NoEffect || f.Kind.Gates())
}

// predict runs gopredict on all tests, with one command.
func (s *subject) predict(ctx context.Context) error {
	var r struct {
		Packages []struct{ Package, Result string }
		Findings []finding
	}
	state, out, err := script.Predict(ctx, s.tool, s.dir, &r, patterns...)
	if err != nil {
		return err
	}
	if code := state.ExitCode(); code != 1 {
		return fmt.Errorf("gopredict: expected exit code 1, as there are bugs, found %d\n%s", code, out)
	}
	for _, p := range r.Packages {
		if p.Result != "pass" {
			return fmt.Errorf("expected that the tests of %s pass while they are recorded, found %q\n%s", p.Package, p.Result, out)
		}
	}
	for _, f := range r.Findings {
		v := s.find(path.Base(f.Package), f.Test)
		if v == nil {
			return fmt.Errorf("the report has a finding of %s in %s, which is not there", f.Test, f.Package)
		}
		v.findings = append(v.findings, f)
	}
	return nil
}

// find returns the test of a package, or nil.
func (s *subject) find(name, test string) *variation {
	for _, p := range s.pkgs {
		if p.name == name {
			if i := slices.IndexFunc(p.tests, func(v *variation) bool { return v.name == test }); i >= 0 {
				return p.tests[i]
			}
		}
	}
	return nil
}

// confirmed returns the kinds of bugs that are confirmed and beyond doubt, by
// commas; "" if there are none.
func (v *variation) confirmed() string {
	var kinds []string
	for _, f := range v.findings {
		if f.shows() {
			kinds = append(kinds, string(f.Kind))
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

// lost tells of a variation that is not confirmed how far it came.
func (v *variation) lost() string {
	for _, status := range []bug.Status{bug.Confirmed, bug.Unconfirmed, bug.Infeasible} {
		for _, f := range v.findings {
			if f.Status == status {
				return strings.TrimSuffix(string(f.Status)+": "+f.Reason, ": ")
			}
		}
	}
	return "not predicted"
}
