package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
)

// vetDefault are the analyzers that go test runs where -vet is not given.
var vetDefault = []string{
	"-atomic", "-bool", "-buildtags", "-directive", "-errorsas", "-ifaceassert",
	"-nilfunc", "-printf", "-slog", "-stringintconv", "-tests",
}

// A vetResult is the result of go vet.
type vetResult struct {
	reports []vetReport
	err     error
}

// A vetReport has the messages about one package, or about its external test.
type vetReport struct {
	Path string // import path of the package under test
	Text string // as go test prints it: a header and lines FILE:LINE:COL: MESSAGE
}

// vetOverlay returns the overlay file to vet the tested packages with: the one that they were
// loaded with, std, so that their imports are compiled once for both. There is none for packages
// of the standard library itself.
func (c *Config) vetOverlay(tested []Package, std string) string {
	if slices.ContainsFunc(tested, func(p Package) bool { return isUnder(p.Dir, c.Env.GOROOT) }) {
		return ""
	}
	return std
}

// vet runs go vet as go test does by default, but on the user's own sources, not on the rewritten
// ones. It runs concurrently with rewriting, and after loading, which has compiled what it needs.
func (c *Config) vet(ctx context.Context, overlay string) vetResult {
	flags := vetDefault
	list, _ := c.flag("vet")
	switch list {
	case "":
	case "off":
		return vetResult{}
	case "all":
		flags = nil
	default:
		flags = nil
		for name := range strings.SplitSeq(list, ",") {
			flags = append(flags, "-"+name)
		}
	}
	args := append([]string{"vet", "-json"}, flags...)
	args = append(args, c.Args.LoadFlags()...)
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
		args = append(args, c.moduleFlags()...)
	}
	args = append(args, c.Args.Packages...)
	cmd := gotool.Command(ctx, c.Dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return vetResult{err: ctx.Err()}
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return vetResult{err: err}
	}
	if strings.Contains(stderr.String(), "flag provided but not defined") {
		return vetResult{err: &UsageError{fmt.Sprintf("-vet=%s: not \"off\", \"all\" or a list of go vet's analyzers", list)}}
	}
	// Other failures are of packages that do not load: see rejected.
	reports, err := parseVet(&stdout, c.Dir)
	if err != nil {
		err = fmt.Errorf("reading what go vet -json printed: %w", err)
	}
	return vetResult{reports, err}
}

// A diagnostic is one message of go vet -json.
type diagnostic struct {
	Posn    string // FILE:LINE:COL, the file absolute
	Message string
}

// parseVet reads the JSON values that go vet prints, one for each package, from the import path to
// the analyzers' names to their messages.
func parseVet(r io.Reader, dir string) ([]vetReport, error) {
	var reports []vetReport
	for dec := json.NewDecoder(r); ; {
		var tree map[string]map[string]json.RawMessage
		if err := dec.Decode(&tree); err == io.EOF {
			return reports, nil
		} else if err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(tree)) {
			path, _, _ := strings.Cut(id, " ")
			text := fmt.Sprintf("# %s\n# [%s]\n", path, path)
			for _, analyzer := range slices.Sorted(maps.Keys(tree[id])) {
				var list []diagnostic
				if err := json.Unmarshal(tree[id][analyzer], &list); err != nil {
					continue // the analyzer failed, of which go test prints nothing either
				}
				for _, d := range list {
					text += relativePosn(dir, d.Posn) + ": " + d.Message + "\n"
				}
			}
			reports = append(reports, vetReport{strings.TrimSuffix(path, "_test"), text})
		}
	}
}

// relativePosn names a position as the go command does: relative to dir, with
// "./" before the names of files in dir itself.
func relativePosn(dir, posn string) string {
	rel, err := filepath.Rel(dir, posn)
	if err != nil || len(rel) >= len(posn) {
		return posn
	}
	if !strings.ContainsRune(rel, filepath.Separator) {
		rel = "." + string(filepath.Separator) + rel
	}
	return rel
}

// rejected returns the packages that must fail because of their vet reports. It ignores packages
// that do not compile, for which go vet repeats what go test is going to say.
func (v vetResult) rejected(tested []Package) map[string][]vetReport {
	out := make(map[string][]vetReport)
	for _, p := range tested {
		for _, r := range v.reports {
			if r.Path == p.Path && !p.Broken {
				out[p.Path] = append(out[p.Path], r)
			}
		}
	}
	return out
}

// printVet prints the failure of a package as go test does: the report on standard error and the
// result on standard output, or both as events of -json.
func (c *Config) printVet(path string, reports []vetReport) {
	result := fmt.Sprintf("FAIL\t%s [build failed]\n", path)
	if !c.isSet("json") {
		for _, r := range reports {
			io.WriteString(c.Stderr, r.Text)
		}
		io.WriteString(c.Stdout, result)
		return
	}
	type event struct {
		ImportPath  string `json:",omitempty"`
		Action      string
		Package     string   `json:",omitempty"`
		Output      string   `json:",omitempty"`
		Elapsed     *float64 `json:",omitempty"`
		FailedBuild string   `json:",omitempty"`
	}
	enc := json.NewEncoder(c.Stdout)
	build := path + " [" + path + ".test]"
	for _, r := range reports {
		for line := range strings.Lines(r.Text) {
			enc.Encode(event{ImportPath: build, Action: "build-output", Output: line})
		}
	}
	enc.Encode(event{ImportPath: build, Action: "build-fail"})
	enc.Encode(event{Action: "start", Package: path})
	enc.Encode(event{Action: "output", Package: path, Output: result})
	enc.Encode(event{Action: "fail", Package: path, Elapsed: new(float64), FailedBuild: build})
}
