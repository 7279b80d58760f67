package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A comparison is what became of one suite.
type comparison struct {
	suite
	checkout
	plain       process // the first of its runs
	recorded    process
	report      report
	costs       costs
	broken      error // what made the comparison fail; nil if nothing did
	differences []difference
	varying     []string // tests whose results differ without gopredict already
}

// A difference is a test that came out with gopredict as it did in no run
// without; "" stands for no result.
type difference struct{ Test, Plain, Recorded string }

// reason returns why the results differ; "" stands for a bug of gopredict.
func (d difference) reason() string { return reasons[d.Test] }

// good reports whether each result is the same, or there is a reason why it is not.
func (r row) good() bool {
	return r.Broken == "" && !slices.ContainsFunc(r.Differences, func(d difference) bool { return d.reason() == "" })
}

func (c *comparison) summary() string {
	if c.broken != nil {
		return fmt.Sprintf("%s %s: %v", c.name, c.version, c.broken)
	}
	s := fmt.Sprintf("%s %s: %d tests, %d differ, %d vary; %d candidates, %d confirmed; %.0f s of processor time plain, %.0f s, %.0f MiB",
		c.name, c.version, len(c.plain.outcomes), len(c.differences), len(c.varying),
		c.report.Totals.Candidates, c.report.Totals.Confirmed, c.plain.seconds, c.recorded.seconds, c.recorded.memory)
	for _, d := range c.differences {
		s += fmt.Sprintf("\n\t%s: plain %q, recorded %q %s", d.Test, d.Plain, d.Recorded, d.reason())
	}
	for _, f := range c.report.Findings {
		if f.Status == "confirmed" {
			s += fmt.Sprintf("\n\t%s %s in %s: %s, effect %s", f.Status, f.ID, f.Test, f.places(), f.Effect)
		}
	}
	for _, w := range c.report.Warnings {
		s += "\n\twarning: " + w
	}
	return s
}

var notInFileNames = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// compare runs a suite in both ways. If there is an error, the comparison is as
// far as it came.
func (r *runner) compare(ctx context.Context, s suite) (c *comparison, err error) {
	c = &comparison{suite: s}
	if c.checkout, err = s.prepare(ctx, r.work); err != nil {
		return c, err
	}
	defer os.RemoveAll(c.dir)
	keep := filepath.Join(r.keep, notInFileNames.ReplaceAllString(s.name, "_"))
	if err := os.RemoveAll(keep); err != nil {
		return c, err
	}
	if err := os.MkdirAll(keep, 0o777); err != nil {
		return c, err
	}
	seen := map[string][]string{} // the results of each test
	args := slices.Concat([]string{"test", "-json", "-count=1"}, s.flags)
	for i := range r.rounds {
		p, err := r.command(ctx, c.dir, filepath.Join(keep, fmt.Sprintf("plain%d.json", i)), "go", append(args, c.packages)...)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c.plain = p
		}
		for name, outcome := range p.outcomes {
			seen[name] = append(seen[name], outcome)
		}
	}
	if c.plain.count("pass") == 0 {
		return c, fmt.Errorf("no test passes plainly:\n%s", c.plain.output)
	}
	reportFile := filepath.Join(keep, "report.json")
	args = append(args, "-predict.json="+reportFile, "-predict.keep="+filepath.Join(keep, "run"))
	if c.instrument != "" {
		args = append(args, "-predict.pkgs="+c.instrument)
	}
	if c.recorded, err = r.command(ctx, c.dir, filepath.Join(keep, "recorded.json"), r.tool, append(args, c.packages)...); err != nil {
		return c, err
	}
	if c.recorded.exit > 1 {
		return c, fmt.Errorf("gopredict: exit code %d\n%s", c.recorded.exit, c.recorded.output)
	}
	if c.report, err = readReport(reportFile); err != nil {
		return c, err
	}
	for _, p := range c.report.Packages { // by itself, whatever was confirmed
		if p.Result == "pass" || p.Result == "fail" {
			c.recorded.outcomes[p.Package] = p.Result
		}
	}
	c.judge(seen, r.rounds)
	if r.costs {
		if c.costs, err = r.explored(ctx, c); err != nil {
			return c, err
		}
	}
	return c, r.checkTraces(ctx, keep)
}

// costs are what exploring costs a suite, and brings: seconds of processor time, and confirmed
// bugs, without it and by default.
type costs struct {
	Off, On                   float64
	OffConfirmed, OnConfirmed int
}

// explored measures what exploring costs the suite of c, which was built before. Witnesses of
// other runs are not looked at.
func (r *runner) explored(ctx context.Context, c *comparison) (costs, error) {
	var all [2]process
	var confirmed [2]int
	for k, explore := range []string{"off", ""} {
		file := filepath.Join(r.keep, "costs")
		args := slices.Concat([]string{"test", "-json", "-count=1", "-predict.json=" + file + ".json", fmt.Sprint("-predict.witnesses=", file, k)}, c.flags)
		if explore != "" {
			args = append(args, "-predict.explore="+explore)
		}
		if c.instrument != "" {
			args = append(args, "-predict.pkgs="+c.instrument)
		}
		var err error
		if all[k], err = r.command(ctx, c.dir, file, r.tool, append(args, c.packages)...); err != nil {
			return costs{}, err
		}
		its, err := readReport(file + ".json")
		if err != nil {
			return costs{}, err
		}
		confirmed[k] = its.Totals.Confirmed
	}
	return costs{all[0].seconds, all[1].seconds, confirmed[0], confirmed[1]}, nil
}

// judge compares the results with those that were seen in the plain runs. A
// package whose tests differ is not named beside them.
func (c *comparison) judge(seen map[string][]string, rounds int) {
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		results := slices.Compact(slices.Sorted(slices.Values(seen[name])))
		if len(results) > 1 || len(seen[name]) < rounds {
			c.varying = append(c.varying, name)
			continue
		}
		if got := c.recorded.outcomes[name]; got != results[0] {
			c.differences = append(c.differences, difference{name, results[0], got})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.recorded.outcomes)) {
		if seen[name] == nil {
			c.differences = append(c.differences, difference{name, "", c.recorded.outcomes[name]})
		}
	}
	all := c.differences
	c.differences = slices.DeleteFunc(slices.Clone(all), func(d difference) bool {
		return slices.ContainsFunc(all, func(t difference) bool { return strings.HasPrefix(t.Test, d.Test+" ") })
	})
}

// checkTraces checks that each trace below dir is valid.
func (r *runner) checkTraces(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".trace" {
			return err
		}
		if out, err := exec.CommandContext(ctx, r.tool, "trace", "check", path).CombinedOutput(); err != nil {
			return fmt.Errorf("trace check %s: %w\n%s", path, err, strings.TrimSpace(string(out)))
		}
		return nil
	})
}
