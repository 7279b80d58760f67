package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/trace"
)

// RecordInto returns the environment variable, as NAME=VALUE, that makes an
// instrumented program record its first limit bytes of events, as they are
// before they are packed, into the file trace.
func RecordingVariable(trace string, limit int) string {
	return predictrt.Mode{Trace: trace, Limit: limit}.Env()
}

// settings is what a shim is told, by the file of that name in its folder.
type settings struct {
	// Exec is the user's own -exec command, which the binary is run through.
	Exec []string
	// Env are variables of the environment that the binary must not see as
	// the shim has them, for [gotool.WithVariables].
	Env []string
}

const settingsFile = "exec.json"

func (s settings) write(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, settingsFile), data, 0o644)
}

// execution is what a shim saw: one test binary run by go test.
type execution struct {
	Dir     string // working directory
	Args    []string
	Env     []string // its environment, without what tells it to record
	Binary  string   // the saved binary
	Trace   string   // where the trace is, if the binary came so far
	Exit    int      // exit code; -1 until it ended, or if a signal ended it
	Started time.Time
	Seconds float64
	// Processor is how many seconds it has used of processors, with the processes that it
	// has started and waited for.
	Processor float64
}

const executionFile = "run.json"

func (e execution) write(dir string) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, executionFile), data, 0o644)
}

// Exec is what go test runs in place of a test binary: args are the binary and
// its arguments. It saves the binary in a new folder below dir, tells it to
// record there, with temporary files of its own, and is otherwise not to be noticed: same standard
// streams, signals and exit code. It returns the exit code.
func RunShim(dir string, args []string) int {
	code, err := execute(dir, args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "gopredict: running %s: %v\n", strings.Join(args, " "), ExplainExecError(err))
		return 3
	}
	return code
}

// Foreign returns an error of running a test binary. If that is for another system, which
// the system says in few words, it says what to do.
func ExplainExecError(err error) error {
	if errors.Is(err, syscall.ENOEXEC) {
		return fmt.Errorf("%w: it is built for another system or processor than this one; -exec=COMMAND names what runs it, such as qemu-aarch64", err)
	}
	return err
}

func execute(dir string, args []string) (int, error) {
	if len(args) == 0 {
		return 0, errors.New("no test binary named")
	}
	data, err := os.ReadFile(filepath.Join(dir, settingsFile))
	if err != nil {
		return 0, err
	}
	var set settings
	if err := json.Unmarshal(data, &set); err != nil {
		return 0, fmt.Errorf("%s: %v", settingsFile, err)
	}
	wd, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	own, err := os.MkdirTemp(dir, "exec-")
	if err != nil {
		return 0, err
	}
	e := execution{Dir: wd, Args: args[1:], Env: gotool.WithVariables(os.Environ(), set.Env), Binary: filepath.Join(own, filepath.Base(args[0])), Exit: -1}
	e.Trace = e.Binary + ".trace"
	if err := linkOrCopy(args[0], e.Binary); err != nil {
		return 0, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	if len(set.Exec) > 0 {
		cmd = exec.Command(set.Exec[0], slices.Concat(set.Exec[1:], args)...)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	e.Started = time.Now()
	if err := e.write(own); err != nil {
		return 0, err
	}
	temporary, remove, err := newTempDir(set.Exec, wd)
	if err != nil {
		return 0, err
	}
	cmd.Env = append(slices.Concat(e.Env, temporary), RecordingVariable(e.Trace, trace.MaxLoggedBytes))
	state, err := runForwarding(cmd)
	remove() // before this process may end as the program did
	if err != nil {
		return 0, err
	}
	e.Seconds = time.Since(e.Started).Seconds()
	e.Exit, e.Processor = state.ExitCode(), (state.UserTime() + state.SystemTime()).Seconds()
	if err := e.write(own); err != nil {
		return 0, err
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		die(ws.Signal())
		return 128 + int(ws.Signal()), nil
	}
	return e.Exit, nil
}

// runForwarding runs cmd to its end. Go test's signal for a test that took too
// long comes to this process only, and is handed on. The signals that end a
// run come to the whole process group, and are left to the test to answer.
func runForwarding(cmd *exec.Cmd) (*os.ProcessState, error) {
	runtime.LockOSThread() // for dieWithParent
	defer runtime.UnlockOSThread()
	dieWithParent(cmd)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGQUIT {
					cmd.Process.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil
	}
	return cmd.ProcessState, err
}

// die ends this process by the signal that ended the child, so that go test
// prints what it would print for the child itself. It returns for signals that
// the Go runtime would answer with a crash report of its own.
func die(s syscall.Signal) {
	switch s {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
	default:
		return
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // until it arrives
	}
}

// save makes the file from available at to, also after from is removed.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
