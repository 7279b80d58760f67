package command

import (
	"context"
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

// writers are what a report can be written as, each by a flag that names the file:
// -predict.NAME of test, -NAME of report.
var writers = map[string]func(io.Writer, *report.Report) error{
	"gitlab": report.WriteGitLab,
	"html":   report.WriteHTML,
	"json":   report.WriteJSON,
	"junit":  report.WriteJUnit,
	"sarif":  report.WriteSARIF,
}

// report prints a report that -predict.json has written, or writes it in other formats. So
// CI keeps one file, of which each reader makes what he wants. The exit code is 0 whatever
// is in it: what fails the run was said by the run.
func (s *session) report(_ context.Context, args []string) (int, error) {
	files, verbose, github := make(map[string]string), false, false
	var names []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		flag, isFlag := strings.CutPrefix(arg, "-")
		if !isFlag {
			names = append(names, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		switch {
		case name == "v":
			verbose = true
		case name == "github":
			github = true
		case writers[name] == nil:
			return exitUsage, usagef("report takes -v, -github and %s, found %s", formatFlags("-"), arg)
		case !hasValue && len(args) == 0:
			return exitUsage, usagef("-%s needs the name of a file", name)
		case !hasValue:
			value, args = args[0], args[1:]
			fallthrough
		default:
			files[name] = value
		}
	}
	if len(names) != 1 {
		return exitUsage, usagef("report takes one file that -%sjson has written, found %d", prefix, len(names))
	}
	r, err := report.ReadFile(names[0], s.path(names[0]))
	if err != nil {
		return exitFailed, err
	}
	if github {
		// Where the module is in the repository, nothing tells: the folder of this command.
		if err := s.tellGitHub(s.stdout, r, s.dir); err != nil {
			return exitFailed, err
		}
	} else if len(files) == 0 {
		text := textOptions(s.stdout, gotool.Env{})
		text.Verbose = verbose
		return exitOK, report.WriteText(s.stdout, r, text)
	}
	return exitOK, s.writeFiles(files, "-", r)
}

// formatFlags lists the flags of the formats.
func formatFlags(prefix string) string {
	return prefix + strings.Join(slices.Sorted(maps.Keys(writers)), ", "+prefix)
}

// writeFiles writes the report to files, by their formats; flag stands before the name of
// a format, in errors.
func (s *session) writeFiles(files map[string]string, flag string, r *report.Report) error {
	for _, format := range slices.Sorted(maps.Keys(files)) {
		if err := s.writeFile(files[format], writers[format], r); err != nil {
			return fmt.Errorf("%s%s: %w", flag, format, err)
		}
	}
	return nil
}

// writeFile writes the report to one file.
func (s *session) writeFile(name string, write func(io.Writer, *report.Report) error, r *report.Report) error {
	f, err := os.Create(s.path(name))
	if err != nil {
		return err
	}
	if err := write(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// tellGitHub writes what GitHub Actions takes: annotations to out, and the summary to the
// file that it names. Root is the folder of the module.
func (s *session) tellGitHub(out io.Writer, r *report.Report, root string) error {
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
