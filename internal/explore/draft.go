package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file keeps the witnesses of a package in the folder for work until its last run is over:
// there are tests that read all files of their testdata, and would do something else in the runs
// that come after the first bug.

// A draft is a witness that is not in its place yet.
type draft struct {
	id     string
	file   string // where it belongs, absolute
	exists string // where it is
}

// draft writes w to a draft of the given file, instead of one that there is of that file.
func (c *confirmation) draft(w *witness.Witness, file string) error {
	k := slices.IndexFunc(c.tally.drafts, func(d draft) bool { return d.file == file })
	if k < 0 {
		k = len(c.tally.drafts)
		c.tally.drafts = append(c.tally.drafts, draft{w.ID, file, fmt.Sprintf("%sdraft-%d", c.prefix, k)})
	}
	its := c.tally.drafts[k].exists
	return w.Save(filepath.Dir(its), filepath.Base(its))
}

// withdrawTold takes back what the package has shown of bugs that were told, by their sites: the findings, and
// the drafts of their witnesses, but for those that renew a committed one.
func (c *confirmation) withdrawTold(told map[string]bool) {
	c.Report.Findings = slices.DeleteFunc(c.Report.Findings, func(f report.Finding) bool {
		if f.Status != bug.Confirmed || !told[f.Sites()] {
			return false
		}
		if file := c.path(f.Witness); f.Witness != "" && !slices.Contains(c.tally.taken, file) {
			c.tally.drop(file)
		}
		return true
	})
}

// publish puts the drafts of a package into their places. Where nothing can be written they go to
// the folder for artifacts, if there is one.
func (c *confirmation) publish() {
	in := c.witnessFolder()
	errs := make([]error, len(c.tally.drafts))
	each(c.workers, len(errs), func(k int) { errs[k] = c.put(c.tally.drafts[k], in) })
	for k, d := range c.tally.drafts {
		err := errs[k]
		if err == nil {
			continue
		}
		if file, there := c.putElsewhere(d, in); there {
			c.warn("%s: %v; it is in %s", c.run.Package.Path, err, file)
			continue
		}
		if !filepath.IsAbs(c.opts.Witnesses) {
			err = fmt.Errorf("%w; -predict.witnesses=/absolute/path keeps witnesses elsewhere", err)
		}
		c.moved(d.file, "") // there is none to replay
		c.trouble(d.id, err)
	}
	c.tally.drafts = nil
}

// put moves a draft to its place, which is in the folder.
func (c *confirmation) put(d draft, in witnessFolder) error {
	name, err := c.within(in, d.file)
	if err != nil {
		return err
	}
	return witness.Move(d.exists, in.root, name)
}

// putElsewhere writes a draft, whose place is in the folder, to the one for artifacts, and returns the
// file there.
func (c *confirmation) putElsewhere(d draft, in witnessFolder) (file string, there bool) {
	rel, err := filepath.Rel(in.path(), d.file)
	if err != nil || c.opts.Artifacts == "" {
		return "", false
	}
	w, err := witness.Load(d.exists)
	if err != nil {
		return "", false
	}
	artifacts := witnessFolder{c.opts.Artifacts, filepath.FromSlash(c.run.Package.Path)}
	file = filepath.Join(artifacts.path(), rel)
	name, err := c.within(artifacts, file)
	if err != nil {
		return "", false
	}
	w.Comment = c.moved(d.file, c.rel(file))
	if err := w.Save(artifacts.root, name); err != nil {
		c.moved(file, c.rel(d.file))
		return "", false
	}
	return file, true
}

// within returns the name of a file within the root of a folder, which there is then.
func (c *confirmation) within(in witnessFolder, file string) (string, error) {
	if in.root != c.run.Package.Dir {
		if err := os.MkdirAll(in.root, 0o777); err != nil {
			return "", err
		}
	}
	return filepath.Rel(in.root, file)
}

// moved has the finding of which the witness was to be one file name another one, and returns its
// heading.
func (c *confirmation) moved(file, to string) []string {
	for k := range c.Report.Findings {
		if f := &c.Report.Findings[k]; f.Witness == c.rel(file) {
			f.Witness = to
			return f.Heading()
		}
	}
	return nil
}

// drop drops the draft of a file.
func (y *tally) drop(file string) {
	y.drafts = slices.DeleteFunc(y.drafts, func(d draft) bool { return d.file == file })
}

// withdraw takes back the draft of the witness of f.
func (e *explored) withdraw(f *report.Finding) {
	e.tally.drop(e.path(f.Witness))
}
