package observed

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if f := deaths[os.Getenv("OBSERVED_CHILD")]; f != nil {
		f()
		fmt.Println("survived")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprint("failure ", f.code) }

func overflow(n int) int {
	var frame [1 << 10]int
	frame[n&7] = n + sharedCount
	return overflow(n+1) + frame[3]
}

var deaths = map[string]func(){
	"index":      func() { s := []int{1}; i := 5 + sharedCount - sharedCount; sharedCount = s[i] },
	"slice":      func() { s := []int{1}; i := 5; sharedCount += len(s[i:]) },
	"nil":        func() { var p *point; p.x++ },
	"nil map":    func() { var m map[string]int; m["a"] = 1 },
	"divide":     func() { zero := sharedCount - sharedCount; sharedCount = 1 / zero },
	"conversion": func() { var x any = 1; _ = x.(string) },
	"interface":  func() { var x any = failure{}; _ = x.(fmt.Stringer) },
	"error":      func() { panic(failure{3}) },
	"pointer":    func() { panic(&point{}) },
	"string":     func() { panic("a\nb") },
	"nil panic":  func() { panic(nil) },
	"again":      func() { defer func() { panic(recover()) }(); panic("first") },
	"other":      func() { defer func() { panic("second") }(); panic("first") },
	"deferred":   func() { defer func() { sharedCount++; fmt.Println("deferred") }(); panic(errors.New("x")) },
	"goexit":     func() { defer func() { panic("in goexit") }(); runtime.Goexit() },
	"goroutine":  func() { go func() { sharedCount++; panic("in goroutine") }(); time.Sleep(time.Second) },
	"method":     func() { wait(func(c chan int) { go (&dies{c}).run(1, "x") }) },
	"timer":      func() { time.AfterFunc(1, func() { panic("in timer") }); time.Sleep(time.Second) },
	"once":       func() { new(sync.Once).Do(func() { panic("in once") }) },
	"group":      func() { var wg sync.WaitGroup; wg.Go(func() { panic("in group") }); wg.Wait() },
	"deadlock":   func() { <-make(chan int) },
	"lock":       func() { var mu sync.Mutex; mu.Lock(); mu.Lock() },
	"wait":       func() { var wg sync.WaitGroup; wg.Add(1); wg.Wait() },
	"select":     func() { select {} },
	"unlock":     func() { defer func() { recover() }(); new(sync.Mutex).Unlock() },
	"runlock":    func() { new(sync.RWMutex).RUnlock() },
	"negative":   func() { new(sync.WaitGroup).Done() },
	"close":      func() { c := make(chan int); close(c); close(c) },
	"send":       func() { c := make(chan int); close(c); c <- 1 },
	"nil close":  func() { var c chan int; close(c) },
	"overflow":   func() { debug.SetMaxStack(1 << 20); overflow(0) },
	"exit":       func() { defer print("not seen"); os.Exit(7) },
	"signal":     func() { syscall.Kill(os.Getpid(), syscall.SIGTERM); time.Sleep(time.Second) },
	"quit":       func() { syscall.Kill(os.Getpid(), syscall.SIGQUIT); time.Sleep(time.Second) },
	"makeslice":  func() { n := -1; _ = make([]int, n) },
	"array":      func() { s := []int{1}; _ = [4]int(s) },
	"hash":       func() { m := map[any]int{}; m[[]int{}] = 1 },
	"compare":    func() { var a, b any = []int{}, []int{}; fmt.Println(a == b) },
	"shift":      func() { n := -1; sharedCount <<= n },
	"nil func":   func() { var f func(); f() },
	"go nil":     func() { var f func(); go f(); time.Sleep(time.Second) },
	"map writes": func() {
		m := map[int]int{}
		for range 4 {
			go func() {
				for {
					m[1]++
				}
			}()
		}
		time.Sleep(5 * time.Second)
	},
	"crash":  func() { debug.SetTraceback("crash"); panic("crash") },
	"system": func() { debug.SetTraceback("system"); panic("system") },
	"all": func() {
		go func() { select {} }()
		time.Sleep(time.Millisecond)
		debug.SetTraceback("all")
		panic("all")
	},
}

type dies struct{ c chan int }

func (d *dies) run(n int, s string) { sharedCount += n; panic(s) }

func wait(f func(chan int)) { c := make(chan int); f(c); <-c }

var hexes = regexp.MustCompile(`0x[0-9a-f]+|[0-9a-f]{16}|goroutine [0-9]+|gp=\S+|m=\S+|r[0-9a-z]+ +0x\S+|pid=\d+|\d+\.\d+s`)

func TestDeaths(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(deaths)) {
		cmd := exec.Command(os.Args[0], "a")
		cmd.Env = append(os.Environ(), "OBSERVED_CHILD="+name)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		said, _, _ := strings.Cut(errs.String(), "\n\n")
		see(t, name, out.String(), err, strings.ReplaceAll(hexes.ReplaceAllString(said, "X"), "\n", " / "))
	}
}

func TestChildren(t *testing.T) {
	out, err := exec.Command(os.Args[0], "-test.run=^TestDiffers$", "-test.v").CombinedOutput()
	see(t, "itself", strings.Join(strings.Fields(regexp.MustCompile(`\d\.\d+s`).ReplaceAllString(string(out), "")), " "), err)
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader("text")
	cat, err := cmd.Output()
	see(t, "cat", string(cat), err, cmd.ProcessState.ExitCode())
	err = exec.Command("sh", "-c", "exit 3").Run()
	see(t, "exit", err)
	gone := exec.CommandContext(t.Context(), "sleep", "10")
	gone.Start()
	gone.Process.Kill()
	see(t, "killed", gone.Wait(), gone.ProcessState.Success())
	big := exec.Command("sh", "-c", "head -c 300000 /dev/zero; ls /proc/self/fd | wc -l 1>&2")
	var errs bytes.Buffer
	big.Stderr = &errs
	zeros, err := big.Output()
	see(t, "big", len(zeros), err, strings.TrimSpace(errs.String()))
}

func TestDiffers(t *testing.T) { see(t, "child", os.Args[1:], testing.Verbose()) }

// Frames of 64 KB, a thousand deep, fit the stack.
func TestDeep(t *testing.T) {
	var deep func(n int) int
	deep = func(n int) int {
		var frame [8 << 10]int
		frame[n] = n
		if n == 0 {
			sharedCount++
			return frame[0]
		}
		return deep(n-1) + frame[n]
	}
	see(t, "deep", deep(1000))
}

func Example() {
	fmt.Println("in order")
	sharedCount++
	// Output: in order
}

func Example_unordered() {
	for k := range map[int]bool{1: true, 2: true} {
		fmt.Println(k)
	}
	// Unordered output: 2
	// 1
}

func FuzzSeeds(f *testing.F) {
	f.Add("a", 1)
	f.Add("b", 2)
	f.Fuzz(func(t *testing.T, s string, n int) { see(t, "seed", s, n) })
}
