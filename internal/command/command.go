// Package command is the gopredict command: its subcommands and flags.
//
// It calls the rooms in the order in which data flows: recorder builds and runs the tests,
// explore predicts from the traces and replays the predictions, report writes the findings. This
// package decides what all of that means for the exit code.
//
// A subcommand has a file of its own: test.go, replay.go, analyze.go, trace.go and so on. help.go
// has the table of the subcommands, options.go that of the -predict flags, and report.go that of
// the formats of reports. Help is written from these tables.
//
// Test can replace go test. The output and the exit code of go test come first and are
// unchanged; gopredict adds its own after them. So the status line is on standard error, and there
// is no report if go test could not run at all.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/gopredict/gopredict/internal/untrusted"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/properties"
)

// The exit codes. Scripts rely on them. 1 and 2 are what go test returns for the same
// reasons, so that gopredict test can stand where go test stood.
const (
	exitOK     = 0 // nothing confirmed that fails the run
	exitBug    = 1 // a test failed, or a bug was confirmed that fails the run
	exitUsage  = 2 // wrong usage
	exitFailed = 3 // gopredict itself failed

	// exitIncomplete is for incomplete runs that found nothing, if -predict.fail-on asks for it. A
	// retry then hides no bug.
	exitIncomplete = 4

	// exitSignal is added to the number of the signal that ended the command: 130 for Ctrl-C.
	exitSignal = 128

	// exitNoAnswer is for replays that do not show whether the bug is fixed, mostly because the
	// witness no longer fits the sources.
	exitNoAnswer = 2
)

// shimCommand is the hidden subcommand that go test runs test binaries with, by its flag -exec. It
// turns recording on and keeps the binary for replays; all else is go test's.
const shimCommand = "__exec"

// toolCommand is the hidden subcommand that the go command runs the linker with, by its flag
// -toolexec.
const toolCommand = "__tool"

// A session is one run of the command: what the subcommands need of the process.
type session struct {
	shell string // the working directory of the user's shell, for printed commands
	dir   string // the working directory: shell, unless -C names another
	stdin io.Reader
	// These are files, since we ask whether they are terminals, and go test writes to them itself:
	// it prints differently to a pipe.
	stdout, stderr *os.File
	env            string // of the GOPREDICT variable
}

// Main runs the command line args, without the command's own name, on the
// process's standard streams. It returns the exit code.
func Main(args []string) int {
	if len(args) >= 2 && args[0] == shimCommand {
		return recorder.RunShim(args[1], args[2:])
	}
	if len(args) >= 2 && args[0] == toolCommand {
		return recorder.RunTool(args[1], args[2:])
	}
	s := &session{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv(envVar)}
	code, err := s.run(args)
	if err != nil {
		s.warnf("%v", err)
	}
	return code
}

// answerf prints a line of an answer. Its parts may come from a stranger's file.
func (s *session) answerf(format string, args ...any) {
	fmt.Fprintln(s.stdout, untrusted.Line(fmt.Sprintf(format, args...)))
}

// warnf prints a warning or error, which may be many lines of a go command.
func (s *session) warnf(format string, args ...any) {
	fmt.Fprintf(s.stderr, "gopredict: %s\n", untrusted.Printable(fmt.Sprintf(format, args...)))
}

// run finds the subcommand and runs it until it ends or a signal asks to.
func (s *session) run(args []string) (code int, err error) {
	if s.shell, err = os.Getwd(); err != nil {
		return exitFailed, err
	}
	s.dir = s.shell
	if len(args) == 0 {
		return exitUsage, errors.New("no command; `gopredict help` lists them, `gopredict test ./...` is the usual one")
	}
	name := args[0]
	if name == "-h" || name == "-help" || name == "--help" {
		name = "help"
	}
	sub := findCommand(name)
	if sub == nil {
		return exitUsage, fmt.Errorf("unknown command %q; `gopredict help` lists the commands", name)
	}
	args = args[1:]
	if name != "help" && asksForHelp(args) {
		return s.runHelp(context.Background(), []string{name})
	}
	ctx, stop := untilSignal()
	defer stop()
	code, err = sub.run(s, ctx, args)
	// The error decides the code, whatever code the subcommand returns with it, so that scripts can
	// distinguish wrong usage from failure.
	if err == nil {
		return code, nil
	}
	// A room that was interrupted may return any error; the signal is its cause.
	if by, ok := errors.AsType[*interruption](context.Cause(ctx)); ok {
		return exitSignal + int(by.signal), by
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage, err
	}
	if _, ok := errors.AsType[*recorder.UsageError](err); ok {
		return exitUsage, err
	}
	if wrong, ok := errors.AsType[*properties.Error](err); ok {
		wrong.Position.Filename = s.relativeToShell(wrong.Position.Filename)
		return exitUsage, wrong
	}
	if code == exitOK {
		code = exitFailed
	}
	return code, err
}

// An interruption is the error of a command that a signal ended.
type interruption struct{ signal syscall.Signal }

func (e *interruption) Error() string { return "interrupted" }

// untilSignal returns a context that the first signal to end cancels, with an interruption as its
// cause. Further signals change nothing: go tool and a terminal may both send one.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	// SIGQUIT is what go test sends under gotestplugin when its time is over.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		select {
		case s := <-signals:
			by, _ := s.(syscall.Signal)
			cancel(&interruption{by})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// A usageError is a mistake on the command line. Its exit code is exitUsage, not exitFailed.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a usageError, which says what was expected and what was found.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// makeWorkFolder makes the folder for one run's files. If keep is given it is a new folder below that,
// and stays; else it is a temporary one, which cleanup removes.
func makeWorkFolder(keep string) (dir string, cleanup func(), err error) {
	if keep == "" {
		dir, err = os.MkdirTemp("", "gopredict-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	if keep, err = filepath.Abs(keep); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return "", nil, fmt.Errorf("-%skeep: %w", prefix, err)
	}
	if dir, err = os.MkdirTemp(keep, "run-"); err != nil {
		return "", nil, err
	}
	// It is a module of its own, so that ./... of the module around it leaves it out.
	return dir, func() {}, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module run\n"), 0o666)
}

// hiddenCommandLine returns the command line with which the go command runs a hidden subcommand of this
// executable.
func hiddenCommandLine(command string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, command}, err
}

// createFile writes a file of the command line. It leaves no part of a file that it cannot write to
// the end, as on a full disk.
func (s *session) createFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(s.absolutePath(name))
	if err != nil {
		return err
	}
	info, unknown := f.Stat()
	err = errors.Join(write(f), f.Close())
	if err != nil && unknown == nil && info.Mode().IsRegular() {
		os.Remove(f.Name())
	}
	return err
}
