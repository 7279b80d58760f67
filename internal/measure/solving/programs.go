package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// programs are those of testdata/papers/fusion, each package built when it is first run.
type programs struct {
	work  string
	built map[string]*binary // by package
}

func newPrograms() (*programs, error) {
	work, err := os.MkdirTemp("", "solving-")
	return &programs{work, make(map[string]*binary)}, err
}

func (ps *programs) remove() { os.RemoveAll(ps.work) }

// record runs the test of p.
func (ps *programs) record(ctx context.Context, p program) (*trace.Trace, error) {
	b := ps.built[p.pkg]
	if b == nil {
		var err error
		if b, err = build(ctx, filepath.Join("testdata", "papers", "fusion", p.pkg), filepath.Join(ps.work, p.pkg)); err != nil {
			return nil, err
		}
		ps.built[p.pkg] = b
	}
	file := filepath.Join(ps.work, p.name+".trace")
	cmd := exec.CommandContext(ctx, b.path, "-test.run", "^"+p.test+"$")
	cmd.Env = append(os.Environ(), recorder.RecordInto(file, trace.MaxLogged))
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	t, err := trace.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t.AddSites(b.sites)
	return t, nil
}

// A binary is a test binary that records.
type binary struct {
	path  string
	sites []trace.Site // of its events
}

// build makes the binary of the package in dir.
func build(ctx context.Context, dir, work string) (*binary, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		return nil, err
	}
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	b, err := recorder.Prepare(ctx, &recorder.Config{Dir: dir, Env: env, Work: work, Stdout: os.Stderr, Stderr: os.Stderr})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	path, err := b.TestBinary(ctx)
	return &binary{path, b.Sites}, err
}
