// Package script is the frame of the project's own scripts: commands that
// measure or compare something, say on standard error what is wrong, and write
// a page of docs. They run in the root folder of the module.
package script

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// Main runs a script with the arguments of the command line and ends the
// process: with 0 if it reports that all is as it must be, with 1 if not, and
// with 3 if it returns an error, which goes to standard error after the
// script's name. An interrupt cancels the context.
func Main(name string, run func(ctx context.Context, args []string) (good bool, err error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	good, err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(3)
	case !good:
		os.Exit(1)
	}
}

// A Job is what a script that runs the command has to work with.
type Job struct {
	Tool string   // gopredict's binary
	Dir  string   // a folder for its files, which is removed afterwards
	Out  string   // the file for the page; "": the standard output
	Args []string // of the command line
	Rest []string // of these, what is no flag
}

// Compare is Main for a script that runs the command on something and writes a page
// about that. It adds to flags, whose name is the script's, where the page goes and which
// binary is run.
func Compare(flags *flag.FlagSet, run func(ctx context.Context, j Job) (good bool, err error)) {
	out := flags.String("o", "", "file for the table; without it, the table goes to the standard output")
	tool := flags.String("tool", "", "gopredict's binary; without it, one is built of the module in this folder")
	Main(flags.Name(), func(ctx context.Context, args []string) (bool, error) {
		if err := flags.Parse(args); err != nil {
			return false, err
		}
		dir, err := os.MkdirTemp("", flags.Name()+"-")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		if *tool == "" {
			if *tool, err = Build(ctx, ".", dir); err != nil {
				return false, err
			}
		}
		return run(ctx, Job{Tool: *tool, Dir: dir, Out: *out, Args: args, Rest: flags.Args()})
	})
}

// Build builds the command of the module in the folder root into dir, and
// returns the path of the binary.
func Build(ctx context.Context, root, dir string) (string, error) {
	tool, err := filepath.Abs(filepath.Join(dir, "gopredict"))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", tool, ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building gopredict in %s: %w\n%s", root, err, out)
	}
	return tool, nil
}

// Write writes a page to a file, or to the standard output if the file's name
// is empty.
func Write(file, page string) error {
	if file == "" {
		_, err := fmt.Print(page)
		return err
	}
	return os.WriteFile(file, []byte(page), 0o666)
}
