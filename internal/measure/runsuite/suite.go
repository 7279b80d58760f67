package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A suite is programs of Go's own tests, and what became of them.
type suite struct {
	root    string   // the GOROOT/test where they are
	dir     string   // for all that is made
	version string   // of the go command that builds them
	env     []string // that they run in
	limit   time.Duration
	log     func(string, ...any)

	programs []*program
}

// newSuite finds out what builds the programs and where they are.
func newSuite(ctx context.Context, dir string) (*suite, error) {
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &suite{dir: dir, version: env.GOVERSION, env: slices.Clip(os.Environ()), limit: time.Minute, log: func(string, ...any) {}}
	s.root, err = findTests(env.GOROOT)
	return s, err
}

// findTests returns the folder test of goroot. Toolchains that GOTOOLCHAIN
// downloads come without it; then it is that of another go command in PATH.
func findTests(goroot string) (string, error) {
	roots := []string{goroot}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, "go")); err == nil {
			if path, err = filepath.EvalSymlinks(path); err == nil {
				roots = append(roots, filepath.Dir(filepath.Dir(path)))
			}
		}
	}
	for _, root := range roots {
		if _, err := os.Stat(filepath.Join(root, "test", "typeparam")); err == nil {
			return filepath.Join(root, "test"), nil
		}
	}
	return "", fmt.Errorf("expected Go's own tests, the folder test of a complete GOROOT; found it in none of %s", strings.Join(roots, ", "))
}

// chunk is how many programs are built before they are run: their binaries
// take two megabytes each.
const chunk = 150

// all runs all programs both ways.
func (s *suite) all(ctx context.Context) error {
	s.log("%d programs of %s, built with %s", len(s.programs), s.root, s.version)
	if err := s.plain(ctx, s.programs); err != nil {
		return err
	}
	made, err := s.generated()
	if err != nil {
		return err
	}
	if err := s.plain(ctx, made); err != nil {
		return err
	}
	s.programs = append(s.programs, made...)
	return s.instrumented(ctx, s.programs)
}

// plain copies programs, and builds and runs them plainly.
func (s *suite) plain(ctx context.Context, programs []*program) error {
	for _, p := range programs {
		if err := p.copy(s.dir, s.language()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for _, g := range grouped(programs) {
		s.log("%s and %d more, plainly", g.programs[0].name, len(g.programs)-1)
		bin := filepath.Join(s.dir, "plain")
		err := g.within(func() error {
			if err := g.loadable(ctx); err != nil || len(g.programs) == 0 {
				return err
			}
			return g.build(ctx, bin)
		})
		if err != nil {
			return err
		}
		err = each(g.programs, func(p *program) error {
			r, err := s.execute(ctx, p, p.binary(bin), s.limit)
			if p.kind == kindOutput {
				p.want = r.output
			}
			p.plain = r.differs(p.want)
			return err
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(bin); err != nil {
			return err
		}
	}
	return nil
}

// language is the go line of the programs' module.
func (s *suite) language() string {
	parts := strings.SplitN(strings.TrimPrefix(s.version, "go"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// generated returns the programs that programs have written.
func (s *suite) generated() ([]*program, error) {
	var made []*program
	for _, p := range s.programs {
		if p.kind != kindOutput || p.plain != "" {
			continue
		}
		file := filepath.Join(s.dir, "written", strings.ReplaceAll(p.name, "/", "_"))
		if err := write(file, p.want); err != nil {
			return nil, err
		}
		want, err := os.ReadFile(strings.TrimSuffix(p.sources[0], ".go") + ".out")
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		made = append(made, &program{name: p.name + ":output", kind: kindRun, sources: []string{file}, want: string(want)})
	}
	return made, nil
}

// instrumented builds and runs those programs that passed plainly, with
// instrumentation.
func (s *suite) instrumented(ctx context.Context, programs []*program) error {
	programs = slices.DeleteFunc(slices.Clone(programs), func(p *program) bool { return p.plain != "" })
	for _, g := range grouped(programs) {
		s.log("%s and %d more, instrumented", g.programs[0].name, len(g.programs)-1)
		work := filepath.Join(s.dir, "instrumented")
		var sites []trace.Site
		err := g.within(func() (err error) {
			sites, err = s.instrument(ctx, g, work)
			return err
		})
		if err != nil {
			return err
		}
		err = each(g.programs, func(p *program) error {
			if p.failed != "" {
				return nil
			}
			return s.recorded(ctx, p, p.binary(filepath.Join(work, "bin")), sites)
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(work); err != nil {
			return err
		}
	}
	return nil
}
