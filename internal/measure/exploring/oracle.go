package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// explore explores random programs completely, as a test compares with all that they can do,
// and takes over the test's table.
func (b *bench) explore(ctx context.Context) error {
	table := filepath.Join(b.dir, "oracle.md")
	cmd := exec.CommandContext(ctx, "go", "test", "./analysis/reach", "-run=^TestOracle$", "-count=1", "-timeout=0",
		fmt.Sprint("-programs=", b.random), "-table="+table)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("exploring random programs: %w\n%s", err, out)
	}
	text, err := os.ReadFile(table)
	b.oracle = string(text)
	return err
}
