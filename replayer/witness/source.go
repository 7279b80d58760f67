package witness

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/internal/untrusted"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Sources reads source files, each once, to identify call sites: a trace has only the function and
// the line of these. The zero value reads from the disk. Its methods may be called concurrently.
type Sources struct {
	ReadFile func(file string) ([]byte, error) // nil: readSource
	mu       sync.Mutex
	files    map[string]*sourceFile
}

// A sourceFile has the lines and functions of a file.
type sourceFile struct {
	lines []string
	funcs map[string]lineRange // by declared name: "F", "T.M", "(*T).M"; without init, if there are several
	// locals has the names of the variables and parameters of each declaration.
	locals map[lineRange]map[string]bool
	// selects has, by the lines of the cases of selects that have several, the line of the select.
	selects     map[int]int
	lineIndexes map[lineRange]lineIndex // of the declarations that were asked for
}

// A lineIndex finds the lines of a declaration by their text, without the space around it, and by
// its [Shape], in which called variables have no names either. Lines are in order.
type lineIndex struct{ text, shape map[string][]int }

// A lineRange has the lines of a declaration, from 1, the last included.
type lineRange struct{ from, to int }

// Line returns a line, from 1, of a file; "" if there is none.
func (s *Sources) Line(file string, line int) string {
	f := s.file(file)
	if line < 1 || line > len(f.lines) {
		return ""
	}
	return f.lines[line-1]
}

// file returns a file. It has no lines if it cannot be read.
func (s *Sources) file(name string) *sourceFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[name]; f != nil {
		return f
	}
	read := s.ReadFile
	if read == nil {
		read = readSource
	}
	f := new(sourceFile)
	if text, err := read(name); err == nil {
		f.lines = strings.Split(string(text), "\n")
		f.funcs, f.locals, f.selects = declarations(name, text)
	}
	if s.files == nil {
		s.files = make(map[string]*sourceFile)
	}
	s.files[name] = f
	return f
}

// readSource reads a source file. A witness, perhaps from a stranger, may have named it, and its
// lines get into reports: so it must be a source file.
func readSource(name string) ([]byte, error) {
	if !slices.Contains([]string{".go", ".s", ".y"}, filepath.Ext(name)) {
		return nil, fmt.Errorf("%s: expected a source file", name)
	}
	return untrusted.Read(name, maxSource)
}

// declarations returns the functions of a Go file, their variables and their selects, as far as it can
// be parsed: see [sourceFile].
func declarations(name string, text []byte) (map[string]lineRange, map[lineRange]map[string]bool, map[int]int) {
	fset := gotoken.NewFileSet()
	file, _ := goparser.ParseFile(fset, name, text, goparser.SkipObjectResolution)
	if file == nil {
		return nil, nil, nil
	}
	// Positions in the file itself, whatever //line comments say.
	line := func(p gotoken.Pos) int { return fset.PositionFor(p, false).Line }
	funcs, locals := make(map[string]lineRange), make(map[lineRange]map[string]bool)
	again := make(map[string]bool)
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			e, name := lineRange{line(fn.Pos()), line(fn.End())}, declName(fn)
			_, again[name] = funcs[name]
			funcs[name], locals[e] = e, variables(fn)
		}
	}
	maps.DeleteFunc(funcs, func(name string, _ lineRange) bool { return again[name] })
	selects := make(map[int]int)
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectStmt)
		if !ok {
			return true
		}
		var cases []int
		for _, c := range s.Body.List {
			if c := c.(*ast.CommClause); c.Comm != nil {
				cases = append(cases, line(c.Pos()))
			}
		}
		for _, at := range cases {
			if len(cases) > 1 { // else it is compiled as its operation
				selects[at] = line(s.Pos())
			}
		}
		return true
	})
	return funcs, locals, selects
}

// variables returns the names of the variables that a function declares.
func variables(fn *ast.FuncDecl) map[string]bool {
	out := make(map[string]bool)
	add := func(names ...ast.Expr) {
		for _, x := range names {
			if id, ok := x.(*ast.Ident); ok {
				out[id.Name] = true
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == gotoken.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == gotoken.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		}
		return true
	})
	return out
}

// declName returns the name of a declared function as the runtime has it, without its package and
// type parameters.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, format := d.Recv.List[0].Type, func(s string) string { return s }
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, format = x.X, func(s string) string { return "(*" + s + ")" }
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return format(x.Name) + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// function returns the lines of the declaration in file that has the code of fn, a name of the
// runtime such as "p.(*T[...]).M.func1". Code outside of declared functions (the initialization of
// variables) belongs to the whole file.
func (s *Sources) function(file, fn string) (e lineRange, ok bool) {
	f := s.file(file)
	names := declNames(fn)
	for _, name := range names {
		if e, ok = f.funcs[name]; ok {
			return e, true
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return name == "init" || name == "glob" }) && len(f.lines) > 0 {
		return lineRange{1, len(f.lines)}, true
	}
	return lineRange{}, false
}

// declNames returns the possible names of the declaration that has the code of fn: names of types
// and of functions look alike. The name of a function literal in an inlined function lists the
// functions that it was inlined into, and last the one that declares it: for
// "p.(*T).Run.(*Pool).start.func1" the result is "(*Pool).start", for "p.Run.start.func2.1" it is
// "Run.start" and "start".
func declNames(fn string) []string {
	_, fn = cutPackage(fn)
	parts := strings.Split(withoutBrackets(fn), ".")
	literal := false
	for i, part := range slices.Backward(parts) {
		part, _, split := strings.Cut(part, "-") // the compiler adds "-range1" for the body of a range loop over a function
		literal = literal || split
		switch {
		case i > 0 && compilerPart.MatchString(part):
			literal = true
		case i == 0:
			return []string{part}
		case strings.HasPrefix(parts[i-1], "("), !literal:
			return []string{parts[i-1] + "." + part}
		default:
			return []string{parts[i-1] + "." + part, part}
		}
	}
	return nil
}

// cutPackage cuts the name of a function into the path of its package and the rest. The path can
// hold dots before its last slash only.
func cutPackage(fn string) (pkg, name string) {
	end := strings.IndexAny(fn, "[(")
	if end < 0 {
		end = len(fn)
	}
	base := strings.LastIndexByte(fn[:end], '/') + 1
	last, name, _ := strings.Cut(fn[base:], ".")
	return fn[:base] + last, name
}

// compilerPart matches the last part of the name of a function that the compiler has made of a
// part of another, such as a function literal; it is empty in "glob..func1".
var compilerPart = regexp.MustCompile(`^(?:func|gowrap|deferwrap)?\d*$`)

// withoutBrackets returns s without type arguments.
func withoutBrackets(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// linesOf returns the index of the lines of a declaration in file.
func (s *Sources) linesOf(file string, e lineRange) lineIndex {
	f := s.file(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := f.lineIndexes[e]; ok {
		return l
	}
	l := lineIndex{make(map[string][]int), make(map[string][]int)}
	variable := func(name string) bool { return f.locals[e][name] }
	for n := e.from; n <= min(e.to, len(f.lines)); n++ {
		if text := strings.TrimSpace(f.lines[n-1]); text != "" {
			l.text[text] = append(l.text[text], n)
			shape := shapeOf(text, variable)
			l.shape[shape] = append(l.shape[shape], n)
		}
	}
	if f.lineIndexes == nil {
		f.lineIndexes = make(map[lineRange]lineIndex)
	}
	f.lineIndexes[e] = l
	return l
}

// callSite returns what identifies the call site at a line in its function: the line's text, and
// its number, from 1, among the lines of the same [Shape]. All is zero if the function is not
// found there.
func (s *Sources) callSite(file, fn string, line int) (text string, which, of int) {
	text = strings.TrimSpace(s.Line(file, line))
	e, ok := s.function(file, fn)
	if text == "" || !ok || line < e.from || line > e.to {
		return "", 0, 0
	}
	variable := func(name string) bool { return s.file(file).locals[e][name] }
	alike := s.linesOf(file, e).shape[shapeOf(text, variable)]
	return text, slices.Index(alike, line) + 1, len(alike)
}

// operand returns the object of an operation of kind k as the call site at a line names it, and
// its number, from 1, among the lines of its function where the same operation has an operand of
// the same [Shape]; "" if there is none.
func (s *Sources) operand(file, fn string, line int, k trace.Kind) (name string, which int) {
	e, ok := s.function(file, fn)
	name = Operand(k, s.Line(file, line))
	if name == "" || !ok || line < e.from || line > e.to {
		return "", 0
	}
	for n := e.from; n <= line; n++ {
		if other := Operand(k, s.Line(file, n)); other != "" && Shape(other) == Shape(name) {
			which++
		}
	}
	return name, which
}

// FindCallSite returns the current line of the call site of step s in file, or in another file of
// its folder. Guess is the line to expect by how the lines around it have moved. The result is
// sure if nothing else in the function looks like the step's line. Otherwise it is the best guess. An
// operation that is a case of a select now is made, or not, at the line of the select.
func (s *Sources) FindCallSite(step Step, file string, guess int) (in string, line int, sure bool) {
	in, line, sure = s.findLine(step, file, guess)
	if at, ok := s.file(in).selects[line]; ok {
		return in, at, false
	}
	return in, line, sure
}

// findLine finds the line of FindCallSite by its text, or the operand there.
func (s *Sources) findLine(step Step, file string, guess int) (in string, line int, sure bool) {
	e, ok := s.function(file, step.Func)
	if !ok {
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go"))
		for _, other := range others {
			if e, ok = s.function(other, step.Func); ok {
				file = other
				break
			}
		}
	}
	if !ok {
		return file, guess, false
	}
	var same, shaped, called []int
	if step.LineText != "" {
		looks := s.linesOf(file, e)
		same, shaped = looks.text[step.LineText], looks.shape[Shape(step.LineText)]
		// It is not known whether the old line called variables, so compare without the names of all that is called.
		called = looks.shape[shapeOf(step.LineText, func(string) bool { return true })]
		if len(called) != step.AlikeCount {
			called = nil
		}
	}
	line, found := min(max(guess, e.from), e.to), false
	for _, alike := range []func() []int{
		func() []int { return same },
		func() []int { return shaped },
		func() []int { return called },
		func() []int { return s.linesWithOperand(file, e, step, false) },
		func() []int { return s.linesWithOperand(file, e, step, true) },
	} {
		lines := alike()
		switch {
		case len(lines) == 0:
		case len(lines) == 1 && !found:
			return file, lines[0], true
		case len(lines) == step.AlikeCount:
			return file, lines[step.AlikeNumber-1], true
		case !found:
			line, found = nearestLine(lines, guess), true
		}
	}
	return file, line, false
}

// linesWithOperand returns the lines of a declaration in file that do not look like the line of
// step, and where its operation has the same operand, or with shape another one of the same
// [Shape].
func (s *Sources) linesWithOperand(file string, e lineRange, step Step, shape bool) []int {
	var out []int
	for n := e.from; n <= e.to && step.Expr != ""; n++ {
		text := strings.TrimSpace(s.Line(file, n))
		if step.LineText != "" && Shape(text) == Shape(step.LineText) {
			continue
		}
		operand := Operand(step.Op, text)
		switch {
		case operand == "":
		case !shape && operand == step.Expr,
			shape && operand != step.Expr && Shape(operand) == Shape(step.Expr):
			out = append(out, n)
		}
	}
	return out
}

func nearestLine(lines []int, to int) int {
	best := lines[0]
	for _, n := range lines[1:] {
		if distance(n, to) < distance(best, to) {
			best = n
		}
	}
	return best
}
