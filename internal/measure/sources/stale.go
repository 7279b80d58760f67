package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// comparedPages are those that a test compares with the sources, so that they are never stale.
var comparedPages = []string{"tuning.md"}

// A stalePage is a page with figures of sources that have changed since.
type stalePage struct {
	Name, Commit string
	Changed      []string // rooms
}

func (p stalePage) String() string {
	return fmt.Sprintf("%s is of commit %s; since then these have changed: %s", p.Name, p.Commit, strings.Join(p.Changed, ", "))
}

// readPages reads the stamps of the pages in docs/measured of the repository in the folder root,
// and returns those that are stale. The error names those without a stamp.
func readPages(root string) (stale []stalePage, err error) {
	digests := make(map[string]string)
	for _, file := range run.Must(filepath.Glob(filepath.Join(root, "docs", "measured", "*.md"))) {
		name := filepath.Base(file)
		if slices.Contains(comparedPages, name) {
			continue
		}
		stamps, wrong := run.Stamps(run.ReadFile(file))
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("docs/measured/%s: %w", name, wrong))
		}
		for _, s := range stamps {
			if changed := s.Stale(root, digests); len(changed) > 0 {
				stale = append(stale, stalePage{name, s.Commit, changed})
			}
		}
	}
	return stale, err
}

// stale lists the pages that are stale. All is as it must be if there is none, as for a release.
func stale(j *run.Job) bool {
	j.Parse()
	found, err := readPages(".")
	run.Check(err)
	for _, p := range found {
		fmt.Println(p)
	}
	return len(found) == 0
}

// stamp prints the stamp of folders.
func stamp(j *run.Job) bool {
	j.Parse()
	fmt.Println(run.NewStamp(".", j.Args()))
	return true
}
