package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// kernels measures each test of testdata/applications/kernels on its own.
func (b *bench) kernels(ctx context.Context) (rows []row, err error) {
	p, err := buildTests(ctx, filepath.Join("testdata", "applications", "kernels"), b.work)
	if err != nil {
		return nil, err
	}
	p.limit = 1 << 40 // every event counts here
	cmd := exec.CommandContext(ctx, p.binaries[plain], "-test.list", ".")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for _, test := range strings.Fields(string(out)) {
		name := strings.TrimPrefix(test, "Test")
		if !b.selected("kernel/" + name) {
			continue
		}
		costs, err := b.inTurns(func(w way) (cost, error) { return p.run(ctx, w, "^"+test+"$") })
		if err != nil {
			return nil, fmt.Errorf("kernel/%s: %w", name, err)
		}
		rows = append(rows, row{name, costs})
	}
	return rows, nil
}
