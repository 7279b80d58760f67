package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/untrusted"
	"github.com/gopredict/gopredict/recorder/trace"
)

// runTrace is the subcommand for trace files: to see what was recorded, to analyze it with other tools,
// or to predict from traces of other tools. A run leaves its traces with -predict.keep:
//
//	gopredict test -predict.keep=/tmp/run ./...
//	gopredict trace dump /tmp/run/run-*/runs/*/*.test.trace
func (s *session) runTrace(_ context.Context, args []string) (int, error) {
	if len(args) == 0 {
		return exitUsage, usagef("expected trace dump, trace convert or trace check")
	}
	switch verb, args := args[0], args[1:]; verb {
	case "dump":
		return s.traceDump(args)
	case "convert":
		return s.traceConvert(args)
	case "check":
		return s.traceCheck(args)
	default:
		return exitUsage, usagef("unknown command trace %s; expected dump, convert or check", verb)
	}
}

// traceDump prints a trace as text, a damaged one up to the damage. The text can be edited and read
// again, also by analyze.
func (s *session) traceDump(args []string) (int, error) {
	if len(args) != 1 {
		return exitUsage, usagef("trace dump takes one trace file, found %d arguments", len(args))
	}
	t, err := s.readTrace(args[0], trace.ReadFile)
	if t != nil {
		if err := trace.WriteText(s.stdout, t); err != nil {
			return exitFailed, err
		}
	}
	return exitOK, err
}

// traceCheck says whether a trace is whole and a legal execution, in which locks exclude and reads see
// the last write (trace.Validate). A recording that was cut off is legal up to there.
func (s *session) traceCheck(args []string) (int, error) {
	if len(args) != 1 {
		return exitUsage, usagef("trace check takes one trace file, found %d arguments", len(args))
	}
	t, err := s.readTrace(args[0], trace.ReadFile)
	if err != nil {
		return exitFailed, err
	}
	if err := trace.Validate(t); err != nil {
		return exitFailed, fmt.Errorf("%s: %w", args[0], err)
	}
	end := ""
	if t.Meta.Limit > 0 {
		end = fmt.Sprintf(", cut off: recording stopped at %d MiB", t.Meta.Limit>>20)
	} else if !t.Complete {
		end = ", cut off: the program did not end in an orderly way"
	}
	if len(t.Cuts) > 0 {
		end += "; " + recording.ListCutTests(t)
	}
	fmt.Fprintf(s.stdout, "ok: %d events, %d goroutines, %d sites%s\n", len(t.Events), len(t.Goroutines), len(t.Sites), end)
	return exitOK, nil
}

// traceFormats are the formats that trace convert writes. Other predictive analysers read RAPID's,
// lines like "T1|w(x)|12". It has no values, channels or conditions, so these are lost.
var traceFormats = map[string]func(io.Writer, *trace.Trace) error{
	"text":   trace.WriteText,
	"rapid":  trace.WriteRAPID,
	"binary": trace.Encode,
}

// traceConvert writes a trace in another format, to a file or the standard output.
func (s *session) traceConvert(args []string) (int, error) {
	to, files := "", []string(nil)
	for unread := arguments(args); len(unread) > 0; {
		switch arg := unread.next(); {
		case arg.flag == "to":
			to, _ = unread.valueOf(arg)
		case arg.flag != "":
			return exitUsage, usagef("trace convert takes -to FORMAT, found %s", arg.text)
		default:
			files = append(files, arg.text)
		}
	}
	write := traceFormats[to]
	if write == nil {
		return exitUsage, usagef("trace convert -to %s: expected text, rapid or binary", to)
	}
	if len(files) < 1 || len(files) > 2 {
		return exitUsage, usagef("trace convert takes a trace file and at most one file to write, found %d", len(files))
	}
	t, err := s.readTrace(files[0], trace.ReadFile)
	if err != nil {
		return exitFailed, err
	}
	if len(files) == 1 {
		return exitOK, write(s.stdout, t)
	}
	return exitOK, s.createFile(files[1], func(w io.Writer) error {
		if err := write(w, t); err != nil {
			return fmt.Errorf("%s: %w", files[1], err)
		}
		return nil
	})
}

// readTrace reads a trace in any of the formats, a binary one with readFile. Of a damaged binary trace
// it returns the whole part, and the error: predictions from the beginning of a run are as good as
// any. Text formats are written by hand, and an error there is a mistake.
func (s *session) readTrace(name string, readFile func(string) (*trace.Trace, error)) (*trace.Trace, error) {
	f, err := untrusted.Open(s.absolutePath(name), maxTrace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	begin, err := r.Peek(512)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var t *trace.Trace
	switch formatOf(begin) {
	case "rapid":
		t, err = trace.ReadRAPID(r)
	case "text":
		t, err = trace.ReadText(r)
	default:
		return readFile(s.absolutePath(name)) // its errors name the file
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// formatOf returns the format of a trace by its first bytes: RAPID's has bars in the first line, the
// binary one a byte that is no text.
func formatOf(data []byte) string {
	if bytes.HasPrefix(data, []byte("GPTRACE")) || bytes.IndexByte(data, 0) >= 0 {
		return "binary"
	}
	line, _ := bufio.NewReader(bytes.NewReader(data)).ReadString('\n')
	if strings.Count(line, "|") == 2 {
		return "rapid"
	}
	return "text"
}

// absolutePath returns a file name of the command line as an absolute one. It is relative to -C, as for go
// test.
func (s *session) absolutePath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}
