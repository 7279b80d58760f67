package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
)

// A format is one that a report can be written in.
type format struct {
	write func(io.Writer, *report.Report) error
	help  string // of the flag for the file: -predict.NAME of test, -NAME of report
}

// reportFormats has the formats by their names.
var reportFormats = map[string]format{
	"gitlab": {report.WriteGitLab, "as a code quality report of GitLab"},
	"html":   {report.WriteHTML, "as a page: swim lanes, source, both orders"},
	"json":   {report.WriteJSON, "as JSON"},
	"junit":  {report.WriteJUnit, "with the tests' results, as JUnit XML"},
	"sarif":  {report.WriteSARIF, "as SARIF 2.1.0, for code scanning"},
}

// isReportFormat reports whether a format has that name.
func isReportFormat(name string) bool { return reportFormats[name].write != nil }

// runReport prints a report that -predict.json has written, or writes it in other formats. So CI needs to
// keep one file only. The exit code is 0 whatever is in it: the run itself has failed or not.
func (s *session) runReport(_ context.Context, args []string) (int, error) {
	var o options
	var names []string
	verbose := false
	for unread := arguments(args); len(unread) > 0; {
		arg := unread.next()
		switch {
		case !arg.isFlag():
			names = append(names, arg.text)
		case arg.flag == "v":
			verbose = true
		case arg.flag == "github":
			o.forGitHub = true
		case !isReportFormat(arg.flag):
			return exitUsage, usagef("report takes -v, -github and %s, found %s", "-"+listReportFormats(", -"), arg.text)
		default:
			file, ok := unread.valueOf(arg)
			if !ok {
				return exitUsage, usagef("-%s needs the name of a file", arg.flag)
			}
			o.addFile(arg.flag, file)
		}
	}
	if len(names) != 1 {
		return exitUsage, usagef("report takes one file that -%sjson has written, found %d", prefix, len(names))
	}
	r, err := report.ReadFile(names[0], s.absolutePath(names[0]))
	if err != nil {
		return exitFailed, err
	}
	if o.forGitHub {
		// The report does not say where the module is in the repository: take this folder.
		if err := s.writeGitHub(s.stdout, r, s.dir); err != nil {
			return exitFailed, err
		}
	} else if len(o.reportFiles) == 0 {
		text := textOptions(s.stdout, gotool.Env{})
		text.Verbose = verbose
		return exitOK, report.WriteText(s.stdout, r, text)
	}
	return exitOK, s.writeFiles(o.reportFiles, "-", r)
}

// listReportFormats returns the names of the formats, with between between them.
func listReportFormats(between string) string {
	return strings.Join(slices.Sorted(maps.Keys(reportFormats)), between)
}

// writeFiles writes the report to files, by their formats. The error has a line for each file that
// could not be written, with the flag and the format.
func (s *session) writeFiles(files map[string]string, flag string, r *report.Report) error {
	var failed []error
	for _, format := range slices.Sorted(maps.Keys(files)) {
		if err := s.createFile(files[format], func(w io.Writer) error { return reportFormats[format].write(w, r) }); err != nil {
			failed = append(failed, fmt.Errorf("%s%s: %w", flag, format, err))
		}
	}
	return errors.Join(failed...)
}

// writeGitHub writes annotations for GitHub Actions to out, and the summary to the file that it names.
// Root is the folder of the module.
func (s *session) writeGitHub(out io.Writer, r *report.Report, root string) error {
	folder := ""
	if work := os.Getenv("GITHUB_WORKSPACE"); work != "" {
		if rel, err := filepath.Rel(work, root); err == nil && filepath.IsLocal(rel) {
			folder = filepath.ToSlash(rel)
		}
	}
	if err := report.WriteAnnotations(out, r, folder); err != nil {
		return err
	}
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	if err := report.WriteMarkdown(f, r); err != nil {
		f.Close()
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return f.Close()
}

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
