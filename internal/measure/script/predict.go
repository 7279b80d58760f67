package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Predict runs gopredict test, of the binary tool, with these arguments in the folder dir, and
// puts the JSON report that it writes into what report points to. It returns how the command
// has ended, and what it has printed. That it exits with another code than 0 is no error, as
// long as there is a report. What is found follows from no time, however busy the machine is.
func Predict(ctx context.Context, tool, dir string, report any, args ...string) (*os.ProcessState, []byte, error) {
	folder, err := os.MkdirTemp("", "report-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "report.json")
	cmd := exec.CommandContext(ctx, tool, append([]string{"test", "-predict.timeout=10m", "-predict.json=" + file}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own children
	cmd.WaitDelay = time.Minute
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return nil, nil, err
	}
	text, readErr := os.ReadFile(file)
	if readErr != nil {
		return nil, nil, fmt.Errorf("gopredict wrote no report: %w\n%s", cmp.Or(err, readErr), out)
	}
	if err := json.Unmarshal(text, report); err != nil {
		return nil, nil, fmt.Errorf("reading the report: %w", err)
	}
	return cmd.ProcessState, out, nil
}
