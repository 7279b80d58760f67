package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/rewrite"
)

// compile compiles what go test is going to need, which then finds it in the build cache. A
// package that no longer compiles since it was rewritten, which must not happen, is removed from
// replace, to be built and tested as the user wrote it. compile returns its files with the reason.
func (b *Build) compile(ctx context.Context, std, replace map[string]string) ([]rewrite.Skipped, error) {
	var skipped []rewrite.Skipped
	for {
		if err := writeOverlay(b.overlay, std, replace); err != nil {
			return nil, err
		}
		failures, err := b.compileErrors(ctx)
		if err != nil {
			return nil, err
		}
		before := len(replace)
		for _, f := range failures {
			taken := len(skipped)
			for file := range replace {
				if filepath.Dir(file) == f.Dir {
					delete(replace, file)
					skipped = append(skipped, rewrite.Skipped{File: file, Reason: "does not compile when instrumented: " + f.Error.Err})
				}
			}
			if len(skipped) == taken && isUnder(f.Dir, b.conf.Env.GOROOT) {
				return nil, fmt.Errorf("the instrumented standard library of %s does not compile: %s", b.conf.Env.GOVERSION, f.Error.Err)
			}
		}
		if len(replace) == before {
			return skipped, nil
		}
	}
}

// A listError is what go list says of a package that does not compile.
type listError struct {
	Dir   string
	Error *struct{ Err string }
}

// compileErrors compiles the tested packages and what they depend on, and
// returns those failures that are about instrumented files; go test reports
// the others.
func (b *Build) compileErrors(ctx context.Context) ([]listError, error) {
	c := b.conf
	args := []string{"list", "-e", "-export", "-test", "-deps", "-json=Dir,Error"}
	args = append(args, c.Args.LoadFlags()...)
	args = append(args, c.buildFlags(b.overlay)...)
	args = append(args, "--")
	args = append(args, c.Args.Packages...)
	out, err := gotool.OutputOf(ctx, c.command(ctx, args...))
	if err != nil {
		return nil, err
	}
	var failures []listError
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listError
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return failures, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading what go list printed: %w", err)
		}
		if p.Error == nil {
			continue
		}
		// The compiler names the file that it was given: the copy, relative to
		// the working directory if that is shorter.
		for line := range strings.Lines(p.Error.Err) {
			file, _, _ := strings.Cut(line, ":")
			if !filepath.IsAbs(file) {
				file = filepath.Join(c.Dir, file)
			}
			if isUnder(file, c.Work) {
				_, message, _ := strings.Cut(line, ": ")
				p.Error.Err = strings.TrimSpace(message)
				failures = append(failures, p)
				break
			}
		}
	}
}
