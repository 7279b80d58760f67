package command

import (
	"context"
	"strings"

	"github.com/gopredict/gopredict/internal/report"
)

// runMerge joins the reports of the shards of one run, and writes the result as JSON to standard
// output. gopredict report writes it in other formats.
func (s *session) runMerge(_ context.Context, names []string) (int, error) {
	var all []*report.Report
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			return exitUsage, usagef("merge takes files that -%sjson has written and no flags, found %s", prefix, name)
		}
		r, err := report.ReadFile(name, s.absolutePath(name))
		if err != nil {
			return exitFailed, err
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return exitUsage, usagef("merge takes files that -%sjson has written, found none", prefix)
	}
	r, err := report.Merge(names, all)
	if err != nil {
		return exitFailed, err
	}
	return exitOK, report.WriteJSON(s.stdout, r)
}
