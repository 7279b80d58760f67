package main

import (
	"context"
	"os/exec"
	"runtime"
)

// A condition is what replays must not depend on.
type condition struct {
	name  string
	env   []string
	wrap  []string // a command that the replays are run by
	load  bool     // all processors are busy
	moved bool     // the module is built in another folder
}

// conditions are those of the table, in the order of its columns.
var conditions = []condition{
	{name: "as it is"},
	{name: "one processor", wrap: []string{"taskset", "-c", "0"}},
	{name: "under load", load: true},
	{name: "GOMAXPROCS=1", env: []string{"GOMAXPROCS=1"}},
	{name: "GOMAXPROCS=8", env: []string{"GOMAXPROCS=8"}},
	{name: "built elsewhere", moved: true},
}

// busy keeps all processors busy until the returned function is called.
func busy(ctx context.Context) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var all []*exec.Cmd
	stop = func() {
		cancel()
		for _, cmd := range all {
			cmd.Wait()
		}
	}
	for range runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		all = append(all, cmd)
	}
	return stop, nil
}
