package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// A suite is a test of others that can be explored completely.
type suite struct{ module, folder, test string }

var suites = []suite{
	{"golang.org/x/sync@v0.17.0", "./singleflight", "TestForget"},
	{"golang.org/x/sync@v0.17.0", "./errgroup", "TestWithContext"},
	{"github.com/sourcegraph/conc@v0.3.0", "./panics", "TestTry"},
	{"go.uber.org/atomic@v1.11.0", ".", "TestPointer"},
}

func (s suite) String() string {
	return fmt.Sprintf("`%s` | `-run='%s$' %s`", s.module, s.test, s.folder)
}

// measureSuite explores a test of others.
func (b *bench) measureSuite(ctx context.Context, s suite) error {
	dir := filepath.Join(b.dir, "suites", fmt.Sprint(len(b.suites)))
	if _, err := script.Download(ctx, s.module, dir); err != nil {
		return err
	}
	o, err := b.outcome(ctx, dir, "-run="+s.test+"$", "-predict.explore=all", s.folder)
	if err != nil {
		return err
	}
	if b.suites == nil {
		b.suites = make(map[string]outcome)
	}
	b.suites[s.String()] = o
	return nil
}

// suiteLines are those of the table of all suites that were measured.
func (b *bench) suiteLines() string {
	var rows strings.Builder
	for _, s := range suites {
		if o, ok := b.suites[s.String()]; ok {
			fmt.Fprintf(&rows, "| %s | %s | %d |\n", s, o.behaviours(), o.Runs)
		}
	}
	return rows.String()
}
