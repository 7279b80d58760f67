package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/measure/script"
)

// modules are those whose test suites are run.
var modules = []string{
	"go.uber.org/atomic@v1.12.0",
	"go.uber.org/zap@v1.28.0",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/jackc/puddle/v2@v2.2.3",
	"github.com/puzpuzpuz/xsync/v4@v4.5.0",
	"github.com/gorilla/websocket@v1.5.3",
	"github.com/robfig/cron/v3@v3.0.1",
	"github.com/google/btree@v1.1.3",
	"golang.org/x/time@v0.16.0",
	"github.com/spf13/viper@v1.21.0",
}

// suites measures the tests of each module, all its packages one after another.
func (b *bench) suites(ctx context.Context) (rows []row, err error) {
	for i, module := range modules {
		name, _, _ := strings.Cut(module, "@")
		if !b.selected("suite/" + name) {
			continue
		}
		costs, err := b.suite(ctx, module, filepath.Join(b.work, fmt.Sprint("suite", i)))
		if err != nil {
			return nil, fmt.Errorf("suite/%s: %w", name, err)
		}
		rows = append(rows, row{name, costs})
	}
	return rows, nil
}

func (b *bench) suite(ctx context.Context, module, work string) (costs [ways]cost, err error) {
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "module")
	if _, err := script.Download(ctx, module, dir); err != nil {
		return costs, err
	}
	list, err := gotool.Output(ctx, dir, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "./...")
	if err != nil {
		return costs, err
	}
	var packages []*tests
	for i, dir := range strings.Fields(string(list)) {
		own := filepath.Join(work, fmt.Sprint("tests", i))
		if err := os.Mkdir(own, 0o755); err != nil {
			return costs, err
		}
		p, err := buildTests(ctx, dir, own)
		if err != nil {
			return costs, err
		}
		packages = append(packages, p)
	}
	return b.inTurns(func(w way) (sum cost, err error) {
		for _, p := range packages {
			c, err := p.run(ctx, w, ".")
			if err != nil {
				return sum, fmt.Errorf("%s: %w", p.dir, err)
			}
			sum = sum.and(c)
		}
		return sum, nil
	})
}
