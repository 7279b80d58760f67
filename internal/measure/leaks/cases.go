package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A leakCase is one function of the suite, and what became of it.
type leakCase struct {
	name  string // of the function
	set   string // of the package that it is in
	flaky bool   // the suite itself does not rely on finding its leaks
	leaks []*leak

	outcomes []*outcome // one for each repetition
}

// never are cases of which no run leaves anything behind, and why, found by hand.
var never = map[string]string{
	"Moby27782": "nothing can be left: the channel that would end the wait for the condition is closed only by who holds the mutex that the waiting goroutine has from its start to its end, and Go's own profile has none in 100 runs",
}

// A leak is a goroutine that the suite says is left behind: the function that it was
// started with, and what it waits in.
type leak struct {
	text    string // as the suite has it, for the table
	pattern *regexp.Regexp
}

// sets are the packages of the suite that are looked at, by their folders, and the
// names of the lists that have their cases.
var sets = []struct{ name, dir, lists string }{
	{"simple", "testgoroutineleakprofile", "microTests patternTestCases"},
	{"goker", "testgoroutineleakprofile/goker", "gokerTestCases"},
}

// readCases reads the cases, with the leaks that are expected, from the test of the
// runtime that has them as lists of makeTest and makeFlakyTest.
func readCases(goroot string) ([]*leakCase, error) {
	name := filepath.Join(goroot, "src/runtime/goroutineleakprofile_test.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w; this needs a complete GOROOT of Go 1.26 or newer", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var cases []*leakCase
	ast.Inspect(file, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			return true
		}
		list, ok := assign.Lhs[0].(*ast.Ident)
		if !ok {
			return true
		}
		for _, set := range sets {
			for _, l := range strings.Fields(set.lists) {
				if l == list.Name && err == nil {
					var found []*leakCase
					found, err = listed(set.name, assign.Rhs[0])
					cases = append(cases, found...)
				}
			}
		}
		return true
	})
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("%s: expected lists of test cases, found none", name)
	}
	return cases, err
}

// listed returns the cases of one list.
func listed(set string, list ast.Expr) ([]*leakCase, error) {
	var cases []*leakCase
	lit, ok := list.(*ast.CompositeLit)
	if !ok {
		return nil, nil
	}
	for _, e := range lit.Elts {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			continue
		}
		made, ok := call.Fun.(*ast.Ident)
		if !ok {
			continue
		}
		var words []string
		for _, arg := range call.Args {
			text, ok := arg.(*ast.BasicLit)
			if !ok {
				return nil, fmt.Errorf("expected a string as argument of %s", made.Name)
			}
			word, err := strconv.Unquote(text.Value)
			if err != nil {
				return nil, err
			}
			words = append(words, word)
		}
		k := &leakCase{name: words[0], set: set, flaky: made.Name == "makeFlakyTest"}
		for _, w := range words[1:] {
			pattern, err := regexp.Compile(w)
			if err != nil {
				return nil, fmt.Errorf("the leaks of %s: %w", k.name, err)
			}
			k.leaks = append(k.leaks, &leak{plain(w), pattern})
		}
		cases = append(cases, k)
	}
	return cases, nil
}

// plain makes a pattern of the suite readable.
func plain(pattern string) string {
	return strings.NewReplacer(`\(.*`, "", `.* \[`, " [", `\`, "").Replace(pattern)
}
