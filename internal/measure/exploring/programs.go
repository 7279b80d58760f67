package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
)

// A bench has the programs, and what is measured with them.
type bench struct {
	dir      string // for all files
	tool     string // gopredict's binary
	seeds    int
	commit   string // with which it is measured
	programs []*program
	suites   map[string]outcome // by what suite.String has, those that are measured
	random   int                // programs of the oracle
	oracle   string             // the table of it; "": not made yet
}

// A program is one test of a subject.
type program struct {
	subject string
	test    string
	bug     bool // it has one
	dir     string
	run     recorder.Run // its instrumented binary, to be run in any order
	binary  string       // the plain one
	*row
}

// prepare copies a subject, and builds it plainly and instrumented.
func (b *bench) prepare(ctx context.Context, from string) error {
	dir := filepath.Join(b.dir, filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	plain := filepath.Join(b.dir, filepath.Base(from)+".plain")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", plain, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	work := filepath.Join(b.dir, filepath.Base(from)+".work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return err
	}
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return err
	}
	build, err := recorder.Prepare(ctx, &recorder.Config{Dir: dir, Env: env, Work: work, Stdout: io.Discard, Stderr: os.Stderr})
	if err != nil {
		return err
	}
	instrumented, err := build.TestBinary(ctx)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "TestOpen") && !wanted(fn) {
				continue
			}
			b.programs = append(b.programs, &program{
				row:     new(row),
				subject: filepath.Base(from), test: fn.Name.Name, bug: wanted(fn), dir: dir, binary: plain,
				run: recorder.Run{Package: build.Tested[0], Binary: instrumented, Env: os.Environ()},
			})
		}
	}
	return nil
}

// wanted reports whether a test has a bug, as a comment //want: says.
func wanted(fn *ast.FuncDecl) bool {
	if fn.Doc != nil {
		for _, c := range fn.Doc.List {
			if strings.HasPrefix(c.Text, "//want:") {
				return true
			}
		}
	}
	return false
}
