package replayer

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/testenv"
	"github.com/gopredict/gopredict/recorder/predictrt"
)

// The tests run themselves as the program under test: with fakeVar set, this
// test binary does what a script of lines says.
const fakeVar = "REPLAYER_FAKE"

func TestMain(m *testing.M) {
	if script := os.Getenv(fakeVar); script != "" {
		os.Exit(play(script))
	}
	os.Exit(testenv.M{M: m}.Run())
}

// fake returns a Binary that plays the script. Its lines are
//
//	[ORDER?] verdict LINE    append a line to the verdict file
//	[ORDER?] print TEXT      print a line
//	[ORDER?] args            print the arguments
//	[ORDER?] trace TEXT      append TEXT to the trace file, if there is one
//	[ORDER?] call ADDRESS    connect to ADDRESS and keep the connection
//	[ORDER?] await ADDRESS   connect to ADDRESS and wait until it closes the connection
//	[ORDER?] child ADDRESS   connect to ADDRESS and keep the connection in a child process
//	[ORDER?] leave           make a temporary folder with a file, and print its name
//	[ORDER?] exit CODE       end
//	[ORDER?] hang            never end
//
// where a line with "01?" or "10?" before it counts in that order only, one with "late?"
// if the plan is not prompt, one with "prompt?" if it is, one with "soon?" if it is prompt for
// delays of any length, and one with "long?" if it is for long ones only.
func fake(t *testing.T, lines ...string) Binary {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return Binary{Path: path, Dir: t.TempDir(), Env: append(os.Environ(), fakeVar+"="+strings.Join(lines, "\n"))}
}

func play(script string) int {
	files := make(map[string]string)
	for _, f := range strings.Split(os.Getenv(predictrt.EnvVar), ";") {
		k, v, _ := strings.Cut(f, "=")
		files[k] = v
	}
	plan, err := os.ReadFile(files["plan"])
	if err != nil && files["plan"] != "" {
		fmt.Println(err)
		return 9
	}
	how := map[string]int{"verdict": os.O_TRUNC, "trace": os.O_TRUNC} // to open a file for the first time
	for _, line := range strings.Split(script, "\n") {
		if when, rest, ok := strings.Cut(line, "? "); ok && !strings.Contains(when, " ") {
			prompt, any := strings.Contains(string(plan), "\nprompt "), strings.Contains(string(plan), "\nprompt 0")
			applies := map[string]bool{"prompt": prompt, "late": !prompt, "soon": strings.Contains(string(plan), "\nprompt 0\n"), "long": prompt && !any}
			if !applies[when] && !strings.Contains(string(plan), "\norder "+when+"\n") {
				continue
			}
			line = rest
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "verdict":
			f, err := os.OpenFile(files["verdict"], how[word]|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				fmt.Println(err)
				return 9
			}
			fmt.Fprintln(f, rest)
			f.Close()
			how[word] = os.O_APPEND
		case "leave":
			dir, err := os.MkdirTemp("", "")
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
			}
			if err != nil {
				fmt.Println(err)
				return 9
			}
			fmt.Println("left", dir)
		case "print":
			fmt.Println(rest)
		case "args":
			fmt.Println(strings.Join(os.Args[1:], " "))
		case "trace":
			if files["trace"] == "" {
				continue
			}
			f, err := os.OpenFile(files["trace"], how[word]|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				fmt.Println(err)
				return 9
			}
			fmt.Fprint(f, rest)
			f.Close()
			how[word] = os.O_APPEND
		case "call":
			conn, err := net.Dial("tcp", rest)
			if err != nil {
				fmt.Println(err)
				return 9
			}
			defer conn.Close()
		case "await":
			conn, err := net.Dial("tcp", rest)
			if err != nil {
				fmt.Println(err)
				return 9
			}
			io.Copy(io.Discard, conn)
			conn.Close()
		case "child":
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fakeVar+"=call "+rest+"\nhang")
			cmd.Stdout = os.Stdout // holds the pipe open, as children do
			if err := cmd.Start(); err != nil {
				fmt.Println(err)
				return 9
			}
		case "exit":
			var code int
			fmt.Sscan(rest, &code)
			return code
		case "hang":
			r, _, err := os.Pipe()
			if err != nil {
				return 9
			}
			io.Copy(io.Discard, r)
		}
	}
	return 0
}
