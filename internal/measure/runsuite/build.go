package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A group is programs of one module that are built with the same flags, and
// together.
type group struct {
	module, experiment string
	flags              []string
	programs           []*program
}

// grouped divides programs into groups, in the order of their first programs.
func grouped(programs []*program) []*group {
	var groups []*group
	byKey := map[string]*group{}
	for _, p := range programs {
		key := fmt.Sprintf("%q", append([]string{p.module, p.experiment}, p.flags...))
		g := byKey[key]
		if g == nil || len(g.programs) == chunk {
			g = &group{module: p.module, experiment: p.experiment, flags: p.flags}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.programs = append(g.programs, p)
	}
	return groups
}

// patterns are the import paths of programs.
func patterns(programs []*program) []string {
	var out []string
	for _, p := range programs {
		out = append(out, p.pkg)
	}
	return out
}

// binary is where p is built to below dir.
func (p *program) binary(dir string) string { return filepath.Join(dir, path.Base(p.pkg)) }

// within runs f with GOEXPERIMENT set as g needs it.
func (g *group) within(f func() error) error {
	if g.experiment == "" {
		return f()
	}
	old, was := os.LookupEnv("GOEXPERIMENT")
	if err := os.Setenv("GOEXPERIMENT", g.experiment); err != nil {
		return err
	}
	err := f()
	if was {
		return errors.Join(err, os.Setenv("GOEXPERIMENT", old))
	}
	return errors.Join(err, os.Unsetenv("GOEXPERIMENT"))
}

// loadable keeps those of g's programs that the go command can load, and notes
// for the others why it cannot.
func (g *group) loadable(ctx context.Context) error {
	args := append([]string{"list", "-e", "-json=ImportPath,Error,DepsErrors"}, g.flags...)
	out, err := gotool.Output(ctx, g.module, append(append(args, "--"), patterns(g.programs)...)...)
	if err != nil {
		return err
	}
	type listError struct{ Err string }
	reasons := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Error      *listError
			DepsErrors []*listError
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil {
			p.DepsErrors = append(p.DepsErrors, p.Error)
		}
		if len(p.DepsErrors) > 0 {
			reasons[p.ImportPath] = "does not load: " + lastLine(p.DepsErrors[0].Err)
		}
	}
	g.keep(func(p *program) string { return reasons[p.pkg] })
	return nil
}

// keep drops those of g's programs that there is a reason for.
func (g *group) keep(why func(*program) string) {
	var kept []*program
	for _, p := range g.programs {
		if p.plain = why(p); p.plain == "" {
			kept = append(kept, p)
		}
	}
	g.programs = kept
}

// build builds g's programs plainly into dir, and drops those that do not
// compile.
func (g *group) build(ctx context.Context, dir string) error {
	args := append([]string{"build", "-o=" + dir + string(filepath.Separator)}, g.flags...)
	cmd := gotool.Command(ctx, g.module, append(append(args, "--"), patterns(g.programs)...)...)
	out, err := cmd.CombinedOutput() // says which ones it is about
	if ctx.Err() != nil {
		return ctx.Err()
	}
	missing := false
	g.keep(func(p *program) string {
		if _, err := os.Stat(p.binary(dir)); err == nil {
			return ""
		}
		missing = true
		return "does not build: " + complaint(string(out), p.pkg)
	})
	if err != nil && !missing {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// complaint is the first line that the go command printed about pkg or a
// package below it.
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
func (g *group) prepare(ctx context.Context, work string, stderr io.Writer) (*recorder.Build, error) {
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	args, err := gotool.ParseTest(append(append([]string{"-vet=off"}, g.flags...), patterns(g.programs)...))
	if err != nil {
		return nil, err
	}
	env, err := gotool.ReadEnv(ctx, g.module)
	if err != nil {
		return nil, err
	}
	return recorder.Prepare(ctx, &recorder.Config{
		Dir: g.module, Args: args, Env: env, Work: work, Stdout: stderr, Stderr: stderr,
	})
}

// instrument builds g's programs with instrumentation, below work, and notes
// which of them that cannot be done with. It returns the sites.
func (s *suite) instrument(ctx context.Context, g *group, work string) ([]trace.Site, error) {
	var said bytes.Buffer
	b, err := g.prepare(ctx, work, &said)
	if refused, ok := errors.AsType[*recorder.UsageError](err); ok {
		for _, p := range g.programs {
			p.failed = "refused: " + refused.Error()
		}
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	bin := filepath.Join(work, "bin")
	built := b.Commands(ctx, bin)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	skipped := map[string]string{}
	for _, t := range b.Tested {
		var all []string
		for _, f := range b.SkippedIn(t) {
			if filepath.Base(f.File) != nothing {
				all = append(all, filepath.Base(f.File)+": "+f.Reason)
			}
		}
		skipped[t.Path] = strings.Join(all, "; ")
	}
	for _, p := range g.programs {
		if _, err := os.Stat(p.binary(bin)); err != nil {
			p.failed = "does not build: " + complaint(said.String(), p.pkg)
		}
		p.skipped = skipped[p.pkg]
	}
	if built != nil && said.Len() == 0 {
		return nil, built
	}
	return b.Sites, nil
}
