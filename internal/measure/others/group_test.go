//go:build long

package others

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder"
)

// A group is programs of one module that are built with the same flags, and together.
type group struct {
	module, experiment string
	flags              []string
	programs           []*program
}

// mostInGroup is how many programs are built before they are run: their binaries take two
// megabytes each.
const mostInGroup = 150

// grouped divides programs into groups, in the order of their first programs.
func grouped(programs []*program) (groups []*group) {
	byKey := make(map[string]*group)
	for _, p := range programs {
		key := fmt.Sprintf("%q", append([]string{p.module, p.experiment}, p.flags...))
		g := byKey[key]
		if g == nil || len(g.programs) == mostInGroup {
			g = &group{module: p.module, experiment: p.experiment, flags: p.flags}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.programs = append(g.programs, p)
	}
	return groups
}

// patterns are the import paths of g's programs, after flags of the go command.
func (g *group) patterns(flags ...string) []string {
	args := append(append(flags, g.flags...), "--")
	for _, p := range g.programs {
		args = append(args, p.pkg)
	}
	return args
}

// setExperiment sets GOEXPERIMENT as g needs it, until the returned function is called.
func (g *group) setExperiment() (reset func()) {
	if g.experiment == "" {
		return func() {}
	}
	old, was := os.LookupEnv("GOEXPERIMENT")
	run.Check(os.Setenv("GOEXPERIMENT", g.experiment))
	return func() {
		if was {
			run.Check(os.Setenv("GOEXPERIMENT", old))
		} else {
			run.Check(os.Unsetenv("GOEXPERIMENT"))
		}
	}
}

// keepLoadable keeps those of g's programs that the go command can load, and notes for the others
// why it cannot.
func (g *group) keepLoadable(j *run.Job) {
	defer g.setExperiment()()
	out := j.Go(g.module, g.patterns("list", "-e", "-json=ImportPath,Error,DepsErrors")...)
	type listError struct{ Err string }
	reasons := make(map[string]string)
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var p struct {
			ImportPath string
			Error      *listError
			DepsErrors []*listError
		}
		run.Check(d.Decode(&p))
		if p.Error != nil {
			p.DepsErrors = append(p.DepsErrors, p.Error)
		}
		if len(p.DepsErrors) > 0 {
			reasons[p.ImportPath] = "does not load: " + lastLine(p.DepsErrors[0].Err)
		}
	}
	g.keep(func(p *program) string { return reasons[p.pkg] })
}

// keep drops those of g's programs that there is a reason for.
func (g *group) keep(why func(*program) string) {
	var kept []*program
	for _, p := range g.programs {
		if p.Plain = why(p); p.Plain == "" {
			kept = append(kept, p)
		}
	}
	g.programs = kept
}

// build builds g's programs plainly into dir, and drops those that do not compile.
func (g *group) build(j *run.Job, dir string) {
	defer g.setExperiment()()
	p := j.Run(run.Command{Dir: g.module, Args: append([]string{"go"}, g.patterns("build", "-o="+dir+string(filepath.Separator))...)})
	missing := false
	g.keep(func(q *program) string {
		if _, err := os.Stat(q.binary(dir)); err == nil {
			return ""
		}
		missing = true
		return "does not build: " + complaint(p.Output, q.pkg)
	})
	if p.Code != 0 && !missing {
		run.Fail("go build: %s\n%s", p.State, p.Output)
	}
}

// complaint is the first line that the go command printed about pkg or a package below it.
func complaint(out, pkg string) string {
	for said := range strings.SplitSeq("\n"+out, "\n# ") {
		about, lines, _ := strings.Cut(said, "\n")
		if about == pkg || strings.HasPrefix(about, pkg+"/") {
			line, _, _ := strings.Cut(lines, "\n")
			return line
		}
	}
	return strings.TrimSpace(lastLine(out))
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// prepare makes the instrumented build of g's programs, in the folder work.
func (g *group) prepare(j *run.Job, work string, stderr io.Writer) *recorder.Build {
	run.Check(os.MkdirAll(work, 0o777))
	var pkgs []string
	for _, p := range g.programs {
		pkgs = append(pkgs, p.pkg)
	}
	args := run.Must(gotool.ParseTest(append(append([]string{"-vet=off"}, g.flags...), pkgs...)))
	return j.Instrument(g.module, recorder.Config{Args: args, Work: work, Stderr: stderr})
}
