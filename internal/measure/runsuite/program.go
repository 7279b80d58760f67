package main

import (
	"bufio"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A program is one of GOROOT/test's, or one that such a program writes.
type program struct {
	name string // of the file below GOROOT/test; of what it writes, "OUTPUT of NAME"
	kind string // the first word of its first comment
	// flags are those of go build, args what the program itself is run with.
	flags, args []string
	experiment  string   // GOEXPERIMENT
	version     string   // the go line of its own module, "" if it has none
	sources     []string // absolute; for rundir and runindir, the folder
	want        string   // what it prints to both of its outputs

	module string // folder of the module that it is copied to
	pkg    string // import path there

	// plain says why it is not counted: what went wrong without
	// instrumentation. failed is what is different with it.
	plain, failed string
	skipped       string // a file that was left alone, and why
	silent, cut   bool   // there is no trace; it was stopped at its limit
}

// The kinds of programs in Go's own tests: one file, a folder with several
// packages, a module, and a program that writes one.
const (
	kindRun    = "run"
	kindDir    = "rundir"
	kindModule = "runindir"
	kindOutput = "runoutput"
)

// list finds the programs below root, a GOROOT/test, whose names match.
func list(root string, match *regexp.Regexp) ([]*program, error) {
	var programs []*program
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && filepath.Ext(path) == ".dir":
			return fs.SkipDir // belongs to the program of that name
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		p, err := parse(path)
		if p != nil && match.MatchString(filepath.ToSlash(name)) {
			p.name = filepath.ToSlash(name)
			programs = append(programs, p)
		}
		return err
	})
	return programs, err
}

// parse reads what the first comment of the file path says about it. It
// returns nil if that is no program to run.
func parse(path string) (*program, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			continue
		}
		text, comment := strings.CutPrefix(line, "//")
		words := split(text)
		if !comment || len(words) == 0 || !slices.Contains([]string{kindRun, kindDir, kindModule, kindOutput}, words[0]) {
			return nil, nil
		}
		p := &program{kind: words[0], sources: []string{path}}
		p.recipe(words[1:])
		if p.kind == kindDir || p.kind == kindModule {
			p.sources[0] = strings.TrimSuffix(path, ".go") + ".dir"
		}
		out, err := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out")
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		p.want = string(out)
		return p, nil
	}
	return nil, lines.Err()
}

// recipe takes apart what follows the kind: flags of the go command, more
// source files, arguments. Those of rundir are flags of the compiler, up to
// -ldflags.
func (p *program) recipe(words []string) {
	var compiler []string
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		flag := words[0]
		words = words[1:]
		value := func() string {
			v := words[0]
			words = words[1:]
			return v
		}
		switch {
		case flag == "-goexperiment":
			p.experiment = value()
		case flag == "-gomodversion":
			p.version = value()
		case flag == "-ldflags" && p.kind == kindDir:
			p.flags = append(p.flags, "-ldflags="+strings.Join(words, " "))
			words = nil
		case flag == "-gcflags" || flag == "-ldflags":
			p.flags = append(p.flags, flag+"="+value())
		case p.kind == kindDir:
			compiler = append(compiler, flag)
		default:
			p.flags = append(p.flags, flag)
		}
	}
	if len(compiler) > 0 {
		p.flags = append(p.flags, "-gcflags="+strings.Join(compiler, " "))
	}
	for len(words) > 0 && strings.HasSuffix(words[0], ".go") {
		p.sources = append(p.sources, filepath.Join(filepath.Dir(p.sources[0]), words[0]))
		words = words[1:]
	}
	p.args = words
}

// split splits a line at white space that is not quoted, and drops the quotes.
func split(s string) []string {
	var words []string
	var word strings.Builder
	inside, quote := false, rune(0)
	for _, c := range s {
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			inside, quote = true, c
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == ' ' || c == '\t'):
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			inside = true
			word.WriteRune(c)
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}
