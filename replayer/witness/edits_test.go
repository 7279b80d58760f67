package witness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// edited is a program with three bugs. What stands behind // in a line is the operation that
// is a place of one.
const edited = `// Package bank keeps accounts.
package bank

import "sync"

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int
	log     chan string
}

var opened int

// Open opens an account.
func Open(amount int) *Account {
	opened++
	return &Account{balance: amount, log: make(chan string, 9)}
}

// Deposit pays amount in.
func (a *Account) Deposit(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount // write
}

// Withdraw takes amount out.
func (a *Account) Withdraw(amount int) (before, after int) {
	a.mu.Lock()
	before = a.balance
	a.balance -= amount
	a.mu.Unlock()
	return before, a.balance // read
}

// Transfer brings money to another account.
func Transfer(from, to *Account, amount int) {
	from.mu.Lock() // first
	defer from.mu.Unlock()
	to.mu.Lock() // second
	defer to.mu.Unlock()
	from.balance, to.balance = from.balance-amount, to.balance+amount
}

// Tell logs what has happened.
func (a *Account) Tell(what string) {
	for range 2 {
		a.log <- what // send
	}
}

// Close ends the log.
func (a *Account) Close() {
	close(a.log) // close
}
`

const editedTest = `package bank

import "testing"

func TestAll(t *testing.T) {
	a, b := Open(1), Open(2)
	go a.Deposit(3)
	go a.Withdraw(4)
	go Transfer(a, b, 5)
	go Transfer(b, a, 6)
	go a.Tell("x")
	go a.Close()
}
`

// edits are what people do to programs that changes nothing in the bugs of [edited]: what is
// replaced, and by what.
var edits = []struct {
	name    string
	replace []string
}{
	{"nothing", nil},
	{"a license on top", []string{"// Package bank", "// All rights reserved.\n//\n// Do as you like.\n\n// Package bank"}},
	{"a build constraint on top", []string{"// Package bank", "//go:build !plan9\n\n// Package bank"}},
	{"an import more", []string{`import "sync"`, "import (\n\t\"fmt\"\n\t\"sync\"\n)\n\nvar _ = fmt.Sprint"}},
	{"an import of another name", []string{`import "sync"`, `import locks "sync"`, "sync.Mutex", "locks.Mutex"}},
	{"a function above", []string{"// Open opens", "func log(s string) { opened-- }\n\n// Open opens"}},
	{"a function between", []string{"// Withdraw takes", "func (a *Account) Balance() int {\n\ta.mu.Lock()\n\tdefer a.mu.Unlock()\n\treturn a.balance\n}\n\n// Withdraw takes"}},
	{"functions in another order", []string{"// Deposit pays amount in.\nfunc (a *Account) Deposit(amount int) {\n\ta.mu.Lock()\n\tdefer a.mu.Unlock()\n\ta.balance += amount // write\n}\n", "",
		"// Close ends", "// Deposit pays amount in.\nfunc (a *Account) Deposit(amount int) {\n\ta.mu.Lock()\n\tdefer a.mu.Unlock()\n\ta.balance += amount // write\n}\n\n// Close ends"}},
	{"the type at the end", []string{"// An Account holds money.\ntype Account struct {\n\tmu      sync.Mutex\n\tbalance int\n\tlog     chan string\n}\n", "",
		"// Close ends", "type Account struct {\n\tmu      sync.Mutex\n\tbalance int\n\tlog     chan string\n}\n\n// Close ends"}},
	{"functions in another file", []string{"// Deposit pays", "\x00more.go\x00package bank\n\n// Deposit pays"}},
	{"the file has another name", []string{"// Package bank", "\x00accounts.go\x00// Package bank"}},
	{"empty lines", []string{"\tdefer", "\n\tdefer", "\tbefore = a", "\n\n\tbefore = a", "\tfor range", "\n\tfor range"}},
	{"comments in functions", []string{"\ta.mu.Lock()", "\t// Locked first.\n\ta.mu.Lock()", "\tto.mu", "\t// And the other one.\n\tto.mu"}},
	{"comments of functions", []string{"// Deposit pays amount in.", "// Deposit adds the amount.\n//\n// It never fails.", "// Transfer", "// Transfer, or else,"}},
	{"spaces that gofmt takes out", []string{"a.balance += amount", "a . balance+=amount", "before, a.balance", "before,a.balance", "a.log <- what", "a.log<-what", "to.mu.Lock()", "to.mu.Lock( )"}},
	{"spaces for tabs", []string{"\t", "    "}},
	{"the line ends of Windows", []string{"\n", "\r\n"}},
	{"two statements in a line", []string{"func (a *Account) Deposit(amount int) {\n\ta.mu.Lock()\n\tdefer", "func (a *Account) Deposit(amount int) {\n\ta.mu.Lock(); defer"}},
	{"an expression over two lines", []string{"from.balance, to.balance = from.balance-amount, to.balance+amount", "from.balance, to.balance = from.balance-\n\t\tamount, to.balance+amount"}},
	{"parameters over lines", []string{"(from, to *Account, amount int)", "(\n\tfrom, to *Account,\n\tamount int,\n)"}},
	{"the receiver has another name", []string{"(a *Account)", "(acc *Account)", "\ta.", "\tacc.", "defer a.", "defer acc.", "= a.", "= acc.", ", a.", ", acc.", "close(a.", "close(acc."}},
	{"a parameter has another name", []string{"amount", "cents", "what", "text"}},
	{"locks' variables have other names", []string{"from", "source", "to.", "target.", ", to ", ", target "}},
	{"a result has another name", []string{"before", "old", "after", "now"}},
	{"a variable elsewhere has another name", []string{"opened", "accounts"}},
	{"a field more", []string{"\tbalance int", "\towner   string\n\tbalance int", "a.balance += amount", "a.owner = \"\"\n\ta.balance += amount"}},
	{"fields in another order", []string{"\tmu      sync.Mutex\n\tbalance int\n", "\tbalance int\n\tmu      sync.Mutex\n"}},
	{"a type more", []string{"// Open opens", "type Loan struct {\n\tmu      sync.Mutex\n\tbalance int\n}\n\nfunc (l *Loan) Deposit(n int) { l.balance += n }\n\n// Open opens"}},
	{"a condition around it", []string{"\ta.balance += amount // write", "\tif amount > 0 {\n\t\ta.balance += amount // write\n\t}"}},
	{"another operator", []string{"a.balance += amount", "a.balance = a.balance + amount"}},
	{"a call before it", []string{"\ta.balance += amount", "\tcheck(amount)\n\ta.balance += amount", "// Close ends", "func check(n int) {\n\tif n < 0 {\n\t\tpanic(n)\n\t}\n}\n\n// Close ends"}},
	{"another loop", []string{"for range 2 {", "for i := 0; i < 2; i++ {"}},
	{"a function literal more", []string{"\ta.balance += amount", "\tfunc() { opened = 0 }()\n\ta.balance += amount"}},
	{"an unlock that is not deferred", []string{"\tdefer a.mu.Unlock()\n\ta.balance += amount // write\n", "\ta.balance += amount // write\n\ta.mu.Unlock()\n"}},
}

// others are edits after which a bug is another one.
var others = []struct {
	name, bug string
	replace   []string
}{
	{"the function has another name", "race", []string{"Withdraw", "Take"}},
	{"the field has another name", "race", []string{"balance", "cents"}},
	{"the lock is another one", "deadlock", []string{"\tto.mu.Lock()", "\tto.log2.Lock()", "defer to.mu.", "defer to.log2.", "\tlog     chan", "\tlog2 sync.Mutex\n\tlog     chan"}},
	{"the same before it", "race", []string{"\ta.balance += amount // write", "\ta.balance = 0\n\ta.balance += amount // write"}},
}

// Ids stay as they are under edits that leave the bug what it is.
func TestEditsKeepIDs(t *testing.T) {
	var names []string
	dir := t.TempDir()
	put := func(replace []string) {
		text, test := edited, editedTest
		for i := 0; i < len(replace); i += 2 {
			require.Contains(t, text, replace[i])
			text, test = strings.ReplaceAll(text, replace[i], replace[i+1]), strings.ReplaceAll(test, replace[i], replace[i+1])
		}
		folder := filepath.Join(dir, fmt.Sprintf("e%02d", len(names)))
		require.NoError(t, os.Mkdir(folder, 0o777))
		files := []string{"bank_test.go", test, "bank.go", text}
		if before, rest, split := strings.Cut(text, "\x00"); split {
			name, after, _ := strings.Cut(rest, "\x00")
			files = append(files[:2], name, after)
			if before != "" {
				files = append(files, "bank.go", before)
			}
		}
		for i := 0; i < len(files); i += 2 {
			require.NoError(t, os.WriteFile(filepath.Join(folder, files[i]), []byte(files[i+1]), 0o666))
		}
		names = append(names, folder)
	}
	for _, e := range edits {
		put(e.replace)
	}
	for _, o := range others {
		put(o.replace)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com\n\ngo 1.26\n"), 0o666))

	pkgs, err := packages.Load(&packages.Config{Dir: dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
		packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest}, "./...")
	require.NoError(t, err)
	for _, p := range pkgs {
		require.Empty(t, p.Errors)
	}
	result, err := rewrite.Rewrite(pkgs, filepath.Join(dir, ".rewritten"), rewrite.Options{})
	require.NoError(t, err)

	want := idsOf(t, names[0], result.Sites)
	require.Len(t, want, 3)
	for i, e := range edits {
		assert.Equal(t, want, idsOf(t, names[i], result.Sites), e.name)
	}
	for i, o := range others {
		got := idsOf(t, names[len(edits)+i], result.Sites)
		for kind, id := range want {
			assert.Equal(t, kind == o.bug, got[kind] != id, "%s: %s", o.name, kind)
		}
	}
}

// idsOf returns the ids of the bugs of [edited] as it is in a folder, by what they are called
// here; sites are those of all such programs.
func idsOf(t *testing.T, folder string, sites []trace.Site) map[string]string {
	t.Helper()
	tr := &trace.Trace{Sites: make(map[trace.SiteID]trace.Site)}
	// Each stands for the one package that all are.
	pkg := "example.com/" + filepath.Base(folder) + "."
	for _, s := range sites {
		if filepath.Dir(s.File) == folder && s.ID != 0 {
			s.Func = strings.Replace(s.Func, pkg, "example.com/bank.", 1)
			tr.Sites[s.ID] = s
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	next := trace.SiteID(1)
	at := func(what, fn string, kind trace.Kind) trace.Event {
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			line := 1 + slices.IndexFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasSuffix(strings.TrimRight(l, "\r"), "// "+what) })
			if line == 0 {
				continue
			}
			if kind != trace.Read && kind != trace.Write {
				next++
				tr.Sites[next] = trace.Site{ID: next, Func: "example.com/bank." + fn, File: file, Line: line}
				return trace.Event{Kind: kind, Site: next}
			}
			for id, s := range tr.Sites {
				if s.File == file && s.Line == line && s.Op == kind.String() && strings.Contains(s.Expr, ".") {
					return trace.Event{Kind: kind, Site: id}
				}
			}
		}
		t.Fatalf("%s: no %s", folder, what)
		return trace.Event{}
	}
	tr.Events = []trace.Event{
		at("write", "(*Account).Deposit", trace.Write), at("read", "(*Account).Withdraw", trace.Read),
		at("first", "Transfer", trace.Acquire), at("second", "Transfer", trace.Acquire),
		at("send", "(*Account).Tell", trace.Send), at("close", "(*Account).Close", trace.Close),
	}
	source := new(Sources)
	return map[string]string{
		"race":     NewIndex(tr).ID(tr, bug.Race, []int{0, 1}, source),
		"deadlock": NewIndex(tr).ID(tr, bug.Deadlock, []int{2, 3}, source),
		"channel":  NewIndex(tr).ID(tr, bug.Channel, []int{4, 5}, source),
	}
}
