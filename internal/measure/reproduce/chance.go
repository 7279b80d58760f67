package main

import (
	"context"
	"fmt"
	"os/exec"
)

// chance records and replays a test that depends on chance n times, and returns an
// error if two traces differ.
func chance(ctx context.Context, n int) error {
	test := exec.CommandContext(ctx, "go", "test", "./recorder/hooks", "-count=1", "-timeout=1h",
		"-run", "^TestNothingIsLeftToChance$", "-chance", fmt.Sprint(n))
	if out, err := test.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", test.Args, err, out)
	}
	return nil
}
