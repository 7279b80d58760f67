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

// RecordingVariable returns the environment variable, as NAME=VALUE, that makes an instrumented
// program record its first limit bytes of events, before packing, into the file trace.
func RecordingVariable(trace string, limit int) string {
	return predictrt.Mode{Trace: trace, Limit: limit}.Env()
}

// settings has the settings of a shim, which are in a file of its folder.
type settings struct {
	// Exec is the user's own -exec command, which the binary is run through.
	Exec []string
	// Env has variables that the binary's environment must have with other values than the shim's,
	// for [gotool.WithVariables].
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

// An execution describes one run of a test binary by go test, through a shim.
type execution struct {
	Dir     string // working directory
	Args    []string
	Env     []string // its environment, without the variables for recording
	Binary  string   // the saved binary
	Trace   string   // where its trace is, if it wrote one
	Exit    int      // exit code; -1 until it ended, or if a signal ended it
	Started time.Time
	Seconds float64
	// Processor is its processor time in seconds, with that of the processes that it has started
	// and waited for.
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

// RunShim is what go test runs in place of a test binary: args are the binary and its arguments.
// It saves the binary in a new folder below dir, and runs it with a variable that makes it record
// there, and with a folder for temporary files of its own. Standard streams, signals and exit code
// are those of a plain run. It returns the exit code.
func RunShim(dir string, args []string) int {
	code, err := execute(dir, args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "gopredict: running %s: %v\n", strings.Join(args, " "), ExplainExecError(err))
		return 3
	}
	return code
}

// ExplainExecError returns an error of running a test binary. If the binary is for another system,
// it adds what to do.
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
	remove() // now, because this process may end by a signal below
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

// runForwarding runs cmd to its end. Go test's signal for a test that took too long comes to this
// process only, and is forwarded. The signals that end a run come to the whole process group, so
// the test gets them anyway.
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

// die ends this process by the signal that ended the child, so that go test prints what it would
// print for the child itself. It returns for signals for which the Go runtime would print a crash
// report of its own.
func die(s syscall.Signal) {
	switch s {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
	default:
		return
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // until the signal arrives
	}
}

// linkOrCopy makes the file from available at to, even after from is removed.
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
