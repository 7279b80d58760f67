package recorder

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder/trace"
)

const callsModule = `module example.com/calls

go 1.26.0

require github.com/gopredict/gopredict v0.0.0

replace github.com/gopredict/gopredict => `

const callsSource = `package calls

type Conn struct{ n int }

//go:noinline
func (c *Conn) Write(n int) int { return n + 1 }

func (c *Conn) Close() {}

var shared = new(Conn)
`

const callsTest = `package calls

import (
	"testing"
	PROPERTY
)

func TestCalls(t *testing.T) {
	c, n := shared, 0
	for range 4_000_000 {
		n = c.Write(n)
	}
	if n != 4_000_000 {
		t.Error(n)
	}
}
`

// BenchmarkCalls runs a test of four million calls of a method plainly, recorded without a property,
// with one that names another method, and with one that names this one: what a call costs is
// processor time.
func BenchmarkCalls(b *testing.B) {
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	names := func(method string) string {
		return strings.NewReplacer("PROPERTY", `"github.com/gopredict/gopredict/gotestplugin/property"`).Replace(callsTest) +
			"\nvar _ = property.For[*Conn](\"once\").On(\"call\", (*Conn)." + method + ").ERE(\"call?\")\n"
	}
	none := strings.ReplaceAll(callsTest, "PROPERTY", "")
	for _, way := range []struct {
		name, test string
		recorded   bool
	}{{"plain", none, false}, {"recorded", none, true}, {"another", names("Close"), true}, {"this", names("Write"), true}} {
		b.Run(way.name, func(b *testing.B) {
			dir, work := b.TempDir(), b.TempDir()
			for name, text := range map[string]string{"go.mod": callsModule + root + "\n", "calls.go": callsSource, "calls_test.go": way.test} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					b.Fatal(err)
				}
			}
			binary := filepath.Join(work, "calls.test")
			if !way.recorded {
				build := exec.Command("go", "test", "-c", "-o", binary)
				build.Dir = dir
				if out, err := build.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			} else if binary, err = recordedBinary(b.Context(), dir, work); err != nil {
				b.Fatal(err)
			}
			file := filepath.Join(work, "trace")
			spent, runs := 0.0, 0
			for b.Loop() {
				cmd := exec.Command(binary, "-test.run=TestCalls")
				if way.recorded {
					cmd.Env = append(os.Environ(), RecordingVariable(file, trace.MaxLoggedBytes))
				}
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				spent += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				runs++
			}
			b.ReportMetric(250*spent/float64(runs), "cpu-ns/call")
			if way.recorded {
				t, err := trace.ReadFile(file)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(t.Events)), "events")
			}
		})
	}
}

// recordedBinary builds the test in dir to be recorded.
func recordedBinary(ctx context.Context, dir, work string) (string, error) {
	env, err := gotool.ReadEnv(ctx, dir)
	if err != nil {
		return "", err
	}
	build, err := Prepare(ctx, &Config{Dir: dir, Env: env, Work: work, Stdout: os.Stderr, Stderr: os.Stderr})
	if err != nil {
		return "", err
	}
	return build.TestBinary(ctx)
}
