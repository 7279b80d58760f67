// Package command is the gopredict command: its subcommands and flags.
//
// It calls the rooms in the order in which data flows: recorder builds and
// runs the tests, package explore predicts from the traces and makes the predicted
// bugs happen, and report tells. What all of that means for the exit code is
// decided here.
//
// A file has one subcommand: test.go, replay.go, analyze.go, trace.go, and help.go with
// version. Options.go has the table of the -predict flags, from which help is written.
//
// Test is to stand in for go test: what that prints and returns comes first and is as it
// would be, and what gopredict adds comes after it. So the status line is on standard
// error, and the report is left out where go test could not run at all.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/gopredict/gopredict/internal/given"
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

	// exitIncomplete is of runs that have not looked at all there is, and have nothing else
	// to say, where that is asked for: a retry hides no bug then.
	exitIncomplete = 4

	// exitSignal plus the number of the signal that has ended the command: 130 for Ctrl-C.
	exitSignal = 128

	// exitNoAnswer is of replay: whether the bug is fixed cannot be told, mostly
	// as the witness no longer fits the sources.
	exitNoAnswer = 2
)

// shimCommand is the hidden subcommand that go test runs test binaries with, by its flag
// -exec: that way go test does all that it does, and the binary is run with recording on
// and is kept for replays.
const shimCommand = "__exec"

// toolCommand is the hidden subcommand that the go command runs the linker with, by its flag
// -toolexec.
const toolCommand = "__tool"

// A session is one call of the command: what the subcommands need of the process.
type session struct {
	shell string // where the user's shell is, which printed commands are for
	dir   string // the working directory: shell, unless -C names another
	stdin io.Reader
	// Files, as it is asked whether they are terminals, and as go test is to write to them
	// itself: through a pipe it would print in another way.
	stdout, stderr *os.File
	env            string // of the GOPREDICT variable
}

// Main runs the command line args, without the command's own name, on the
// process's standard streams. It returns the exit code.
func Main(args []string) int {
	if len(args) >= 2 && args[0] == shimCommand {
		return recorder.Exec(args[1], args[2:])
	}
	if len(args) >= 2 && args[0] == toolCommand {
		return recorder.Tool(args[1], args[2:])
	}
	s := &session{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv(envVar)}
	code, err := s.run(args)
	if err != nil {
		s.warnf("%v", err)
	}
	return code
}

// answerf prints a line of an answer. What is in it may come from a file that others have
// written, as in complain.
func (s *session) answerf(format string, args ...any) {
	fmt.Fprintln(s.stdout, given.Line(fmt.Sprintf(format, args...)))
}

// warnf prints what is to be noticed, which a go command may have said in many lines.
func (s *session) warnf(format string, args ...any) {
	fmt.Fprintf(s.stderr, "gopredict: %s\n", given.Printable(fmt.Sprintf(format, args...)))
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
	sub := commandOf(name)
	if sub == nil {
		return exitUsage, fmt.Errorf("unknown command %q; `gopredict help` lists the commands", name)
	}
	args = args[1:]
	if name != "help" && asksHelp(args) {
		return s.help(context.Background(), []string{name})
	}
	ctx, stop := untilSignal()
	defer stop()
	code, err = sub.run(s, ctx, args)
	// A subcommand may return any code with its error; what the error is has the last
	// word, so that scripts can tell wrong usage from failure.
	if err == nil {
		return code, nil
	}
	// Whatever a room says that was interrupted, that is why.
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
		wrong.At.Filename = s.relative(wrong.At.Filename)
		return exitUsage, wrong
	}
	if code == exitOK {
		code = exitFailed
	}
	return code, err
}

// A interruption is why a command has ended early.
type interruption struct{ signal syscall.Signal }

func (e *interruption) Error() string { return "interrupted" }

// untilSignal returns a context that ends with the first signal that asks the command to
// end, which is its cause then. Others that follow change nothing: go tool and a terminal may
// both send one.
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

// A usageError is a mistake on the command line: the user can mend it, so the exit code
// is exitUsage and not exitFailed.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef is fmt.Errorf for mistakes on the command line. It says what was expected and what
// was found.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
