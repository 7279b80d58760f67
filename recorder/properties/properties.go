// Package properties reads the declarations of package gotestplugin/property from the
// sources of tests, and has those that hold for all tests (builtin.go).
//
// It stands beside package rewrite, which gives the methods that a declaration names their
// hooks. What the text of a property means is for package analysis/property to say.
package properties

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// libraryPath is the import path of the package whose declarations are read.
const libraryPath = "github.com/gopredict/gopredict/gotestplugin/property"

// A Declaration is a property that a test file declares.
type Declaration struct {
	Name     string
	Types    []string // of the objects: "*example.com/pool.Conn"; two for a property of pairs
	Package  string   // import path of the package whose tests it holds for
	Language string   // the method that ends the declaration: "ERE", "LTL", "Automaton"
	Text     string
	Events   []Event        // in the order in which they are named first
	Position token.Position // of the declaration

	textPosition token.Position // of the beginning of the text
	textIsRaw    bool           // whether offsets in Text are offsets in the source, too
}

// An Event is a name for calls.
type Event struct {
	Name    string
	Methods []Method
}

// Type names what the property is of.
func (d *Declaration) Type() string { return strings.Join(d.Types, " and ") }

// A Method is one that an event names, or what [EventName], [ReturnName], [FieldActionName] and others return.
type Method struct {
	Name      string // types.Func.FullName: "(*example.com/pool.Conn).Close"
	Package   string // import path of the package that declares it; "" for calls of property.Event
	Position  token.Position
	TypeIndex int  // index into Declaration.Types of the object that it is called on
	IsPair    bool // whether it is about an object of the other type, too: see [FirstObjectName]
}

// EventName returns the name of the pseudo-method that stands for calls of property.Event with
// that event and an object of the type.
func EventName(name, typ string) string { return fmt.Sprintf("property.Event(%q, %s)", name, typ) }

// PairEventName is EventName for events about two objects, of which the one of type first comes
// first.
func PairEventName(name, first, second string) string {
	return fmt.Sprintf("property.Event(%q, %s, %s)", name, first, second)
}

// UnpairedEventName is EventName for events about an object without one of another type.
func UnpairedEventName(name, typ, other string) string {
	return fmt.Sprintf("property.Event(%q, %s) without %s", name, typ, other)
}

// WithOperandName returns the name for calls of a method with an argument, or the end of calls
// with a result, of a type.
func WithOperandName(method, typ string) string { return method + " with " + typ }

// FirstObjectName returns the name for the event about the first of the two objects of a method,
// which comes right before the event about the other.
func FirstObjectName(method string) string { return "operand of " + method }

// ReturnName returns the name for the end of calls of a method.
func ReturnName(method string) string { return "return of " + method }

// FieldActionName returns the name for what is done with a field, by its name as [FieldName] has
// it.
func FieldActionName(done, field string) string { return done + " of " + field }

// FieldName returns the name of the field to which a path of fields leads, from a value or a
// pointer, of the type that declares it: "example.com/pool.Conn.state"; and how many bytes it is
// behind the beginning of the object then. It is "" if that type has no name, or has type
// parameters.
func FieldName(from types.Type, path []int, sizes types.Sizes) (name string, offset int64) {
	owner := from
	for k, i := range path {
		if ptr, ok := owner.Underlying().(*types.Pointer); ok {
			owner = ptr.Elem()
		}
		object, ok := owner.Underlying().(*types.Struct)
		if !ok {
			return "", 0
		}
		if k < len(path)-1 {
			owner = object.Field(i).Type()
			continue
		}
		named, ok := types.Unalias(owner).(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || named.Obj().Pkg() == nil {
			return "", 0
		}
		var fields []*types.Var
		for f := range object.Fields() {
			fields = append(fields, f)
		}
		return named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + object.Field(i).Name(), sizes.Offsetsof(fields)[i]
	}
	return "", 0
}

// IsEventFunction reports whether fn is property.Event.
func IsEventFunction(fn *types.Func) bool { return fn.FullName() == libraryPath+".Event" }

// ReportedEvents returns the types of the objects that calls of property.Event in pkgs are about,
// by the names of the events.
func ReportedEvents(pkgs []*packages.Package) map[string][]string {
	all := make(map[string][]string)
	for _, p := range pkgs {
		if p.TypesInfo == nil || p.Imports[libraryPath] == nil {
			continue
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) < 2 {
					return true
				}
				fn, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func)
				name := p.TypesInfo.Types[call.Args[0]].Value
				if !ok || !IsEventFunction(fn) || name == nil {
					return true
				}
				for _, object := range call.Args[1:] {
					event := constant.StringVal(name)
					all[event] = append(all[event], p.TypesInfo.TypeOf(object).String())
				}
				return true
			})
		}
	}
	return all
}

// An Error says what is wrong with the declaration of a property.
type Error struct {
	Position token.Position
	Text     string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Position, e.Text) }

// Error returns what is wrong with d, at an offset of its text.
func (d *Declaration) Error(offset int, text string) error {
	at := d.textPosition
	if d.textIsRaw {
		// A raw string has its text's lines; another one has none.
		before := d.Text[:min(offset, len(d.Text))]
		at.Offset += len(before)
		if line := strings.Count(before, "\n"); line > 0 {
			at.Line += line
			at.Column = len(before) - strings.LastIndexByte(before, '\n')
		} else {
			at.Column += len(before)
		}
	}
	return &Error{at, text}
}

// Read returns the declarations in the test files of pkgs, which have syntax, types and
// ForTest, in the order of the files. It fails with an [*Error] for a declaration that is
// not whole, or not of constants and methods.
func Read(pkgs []*packages.Package) ([]Declaration, error) {
	var all []Declaration
	seen := make(map[string]bool)
	for _, p := range pkgs {
		if p.TypesInfo == nil || p.Imports[libraryPath] == nil {
			continue
		}
		for _, f := range p.Syntax {
			name := p.Fset.File(f.FileStart).Name()
			if seen[name] {
				continue
			}
			seen[name] = true
			r := reader{pkg: p}
			ast.Inspect(f, r.visit)
			if r.err == nil && len(r.declarations) > 0 && !strings.HasSuffix(name, "_test.go") {
				r.err = &Error{r.declarations[0].Position, "expected the declaration of a property in a _test.go file, found it in " + filepath.Base(name)}
			}
			if r.err != nil {
				return nil, r.err
			}
			all = append(all, r.declarations...)
		}
	}
	slices.SortFunc(all, func(a, b Declaration) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Offset, b.Position.Offset))
	})
	first := make(map[[2]string]token.Position)
	for _, d := range all {
		key := [2]string{d.Package, d.Name}
		if at, ok := first[key]; ok {
			return nil, &Error{d.Position, fmt.Sprintf("expected a name of its own for each property of a package, found %q at %s, too", d.Name, at)}
		}
		first[key] = d.Position
	}
	return all, nil
}

// maxName bounds the length in bytes of a property's name, which witness files contain.
const maxName = 200

// A reader reads the declarations of a file.
type reader struct {
	pkg          *packages.Package
	declarations []Declaration
	err          error
}

func (r *reader) errorf(n ast.Node, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.pkg.Fset.PositionFor(n.Pos(), false), fmt.Sprintf(format, args...)}
	}
}

// visit looks for calls of the library. The outermost one of a chain has the others in it.
func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		ast.Inspect(n, func(in ast.Node) bool {
			if call, ok := in.(*ast.CallExpr); ok && r.callee(call) != "" {
				r.errorf(call, "expected the declaration of a property as a package variable, found it in a function")
			}
			return r.err == nil
		})
		return false
	case *ast.CallExpr:
		if fn := r.callee(n); fn != "" {
			r.readDeclaration(n, fn)
			return false
		}
	}
	return r.err == nil
}

// callee returns the name of the function or method of the library that a call calls; ""
// if it is none.
func (r *reader) callee(call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(r.pkg.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != libraryPath || IsEventFunction(fn) {
		return ""
	}
	return fn.Name()
}

// readDeclaration reads the declaration that ends with a call of the function fn.
func (r *reader) readDeclaration(last *ast.CallExpr, fn string) {
	if isFor(fn) || strings.HasPrefix(fn, "On") {
		r.errorf(last, "expected ERE, LTL or Automaton at the end of the declaration of a property, found %s", fn)
		return
	}
	d := Declaration{Language: fn, Package: r.pkg.PkgPath}
	if r.pkg.ForTest != "" {
		d.Package = r.pkg.ForTest
	}
	d.Text = r.constant(last, "text")
	if r.err != nil {
		return
	}
	d.textPosition = r.pkg.Fset.PositionFor(last.Args[0].Pos(), false)
	if lit, ok := ast.Unparen(last.Args[0]).(*ast.BasicLit); ok {
		d.textPosition = r.pkg.Fset.PositionFor(lit.Pos()+1, false)
		plain, err := strconv.Unquote(lit.Value)
		d.textIsRaw = err == nil && plain == lit.Value[1:len(lit.Value)-1]
	}
	var ons []*ast.CallExpr
	for call := last; ; {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if ok {
			call, ok = ast.Unparen(sel.X).(*ast.CallExpr)
		}
		if !ok {
			r.errorf(last, "expected the declaration of a property in one expression, from For to %s, found a part of it", fn)
			return
		}
		if isFor(r.callee(call)) {
			r.readFor(&d, call)
			break
		}
		ons = append(ons, call)
	}
	for _, on := range slices.Backward(ons) {
		r.readEvent(&d, on)
	}
	if r.err == nil && len(d.Events) == 0 {
		r.errorf(last, "expected an event of the property, named by On, found none")
	}
	r.declarations = append(r.declarations, d)
}

func isFor(fn string) bool { return fn == "For" || fn == "For2" }

// readFor reads the call of For or For2.
func (r *reader) readFor(d *Declaration, call *ast.CallExpr) {
	d.Position = r.pkg.Fset.PositionFor(call.Pos(), false)
	d.Name = r.constant(call, "name")
	if r.err == nil && isBuiltin(d.Name) {
		r.errorf(call.Args[0], "expected a name that no built-in property has, found %q", d.Name)
	}
	if r.err == nil && (d.Name == "" || len(d.Name) > maxName || strings.ContainsFunc(d.Name, unprintable)) {
		r.errorf(call.Args[0], "expected a name of the property in one line, of at most %d bytes, found %.60q", maxName, d.Name)
	}
	named, ok := r.pkg.TypesInfo.TypeOf(call).(*types.Named)
	if !ok {
		r.errorf(call, "expected the type of the objects of property %q, found none", d.Name)
		return
	}
	for t := range named.TypeArgs().Types() {
		d.Types = append(d.Types, t.String())
		switch ptr, ok := t.Underlying().(*types.Pointer); {
		case !ok:
			r.errorf(call, "expected a pointer as the type of the objects of property %q, found %s", d.Name, t)
		case types.SizesFor("gc", "amd64").Sizeof(ptr.Elem()) == 0: // on all systems alike
			r.errorf(call, "expected objects that have a size, to tell them apart by their addresses, found %s", t)
		}
	}
	if len(d.Types) == 2 && d.Types[0] == d.Types[1] {
		r.errorf(call, "expected two types of the objects of property %q, found %s twice", d.Name, d.Types[0])
	}
}

// constant returns the value of the first argument of a call, which must be a constant.
func (r *reader) constant(call *ast.CallExpr, what string) string {
	if len(call.Args) == 0 {
		r.errorf(call, "expected the %s of the property, found nothing", what)
		return ""
	}
	v := r.pkg.TypesInfo.Types[call.Args[0]].Value
	if v == nil || v.Kind() != constant.String {
		r.errorf(call.Args[0], "expected a constant as the %s, found an expression that is none", what)
		return ""
	}
	return constant.StringVal(v)
}

// fieldActions maps the methods of the library that name fields to what is done with these.
var fieldActions = map[string]string{
	"OnRead": Reads, "OnWrite": Writes, "OnLock": Locks, "OnUnlock": Unlocks,
	"OnSend": Sends, "OnReceive": Receives, "OnClose": Closes,
}

// What is done with fields.
const (
	Reads    = "read"
	Writes   = "write"
	Locks    = "lock"
	Unlocks  = "unlock"
	Sends    = "send"
	Receives = "receive"
	Closes   = "close"
)

// requiredType returns what the type of a field must be for an action; "" if t is that.
func requiredType(done string, t types.Type) string {
	switch done {
	case Locks, Unlocks:
		if name := types.TypeString(types.Unalias(t), nil); name != "sync.Mutex" && name != "sync.RWMutex" {
			return "a sync.Mutex or a sync.RWMutex"
		}
	case Sends, Receives, Closes:
		if _, ok := t.Underlying().(*types.Chan); !ok {
			return "a channel"
		}
	}
	return ""
}

func unprintable(c rune) bool { return !unicode.IsPrint(c) }

// readEvent reads a call of On, OnReturn or another one of [fieldActions].
func (r *reader) readEvent(d *Declaration, call *ast.CallExpr) {
	name := r.constant(call, "name of an event")
	if r.err == nil && strings.ContainsFunc(name, unprintable) {
		r.errorf(call.Args[0], "expected a name of letters, digits and _ for an event, found %.60q", name)
	}
	if r.err != nil {
		return
	}
	returns, done := r.callee(call) == "OnReturn", fieldActions[r.callee(call)]
	switch none := len(call.Args) == 1; {
	case done != "" && (call.Ellipsis.IsValid() || none):
		r.errorf(call, "expected a list of fields of %s for event %s", d.Type(), name)
		return
	case call.Ellipsis.IsValid() || returns && none:
		r.errorf(call, "expected a list of methods of %s for event %s", d.Type(), name)
		return
	}
	k := slices.IndexFunc(d.Events, func(e Event) bool { return e.Name == name })
	if k < 0 {
		k = len(d.Events)
		d.Events = append(d.Events, Event{Name: name})
	}
	if len(call.Args) == 1 {
		d.Events[k].Methods = append(d.Events[k].Methods, eventMethods(d, name, r.pkg.Fset.PositionFor(call.Pos(), false))...)
	}
	for _, arg := range call.Args[1:] {
		var m Method
		var ok bool
		if done != "" {
			m, ok = r.field(d, arg, done)
		} else {
			m, ok = r.method(d, arg, returns)
		}
		if !ok {
			return
		}
		what := "method"
		if done != "" {
			what = "field"
		}
		for _, e := range d.Events {
			if slices.ContainsFunc(e.Methods, func(o Method) bool { return o.Name == m.Name }) {
				r.errorf(arg, "expected one event for each %s, found %s in %s and %s", what, m.Name, e.Name, name)
				return
			}
		}
		d.Events[k].Methods = append(d.Events[k].Methods, m)
	}
}

// eventMethods returns the pseudo-methods that stand for calls of property.Event with that event.
func eventMethods(d *Declaration, event string, at token.Position) []Method {
	if len(d.Types) == 1 {
		return []Method{{Name: EventName(event, d.Types[0]), Position: at}}
	}
	var all []Method
	for k, t := range d.Types {
		other := d.Types[1-k]
		all = append(all, Method{Name: UnpairedEventName(event, t, other), Position: at, TypeIndex: k}, Method{Name: PairEventName(event, other, t), Position: at, TypeIndex: k, IsPair: true})
	}
	return all
}

// method returns the method of the objects' type that an expression names, or with returns the end
// of its calls.
func (r *reader) method(d *Declaration, arg ast.Expr, returns bool) (Method, bool) {
	at := r.pkg.Fset.PositionFor(arg.Pos(), false)
	sel, ok := ast.Unparen(arg).(*ast.SelectorExpr)
	if !ok || r.pkg.TypesInfo.Selections[sel] == nil || r.pkg.TypesInfo.Selections[sel].Kind() != types.MethodExpr {
		r.errorf(arg, "expected a method of %s, written as (%s).Method, found another expression", d.Type(), d.Types[0])
		return Method{}, false
	}
	fn := r.pkg.TypesInfo.Selections[sel].Obj().(*types.Func).Origin()
	recv := r.pkg.TypesInfo.Selections[sel].Recv()
	_, pointer := fn.Signature().Recv().Type().(*types.Pointer)
	switch {
	case !slices.Contains(d.Types, recv.String()):
		r.errorf(arg, "expected a method of %s, found one of %s", d.Type(), recv)
	case len(r.pkg.TypesInfo.Selections[sel].Index()) > 1:
		r.errorf(arg, "expected a method that %s declares itself, found %s, which an embedded field has", recv, fn.FullName())
	case !pointer:
		r.errorf(arg, "expected a method with a pointer receiver, found %s, which has a copy of the object", fn.FullName())
	default:
		m := Method{Name: fn.FullName(), Package: fn.Pkg().Path(), Position: at, TypeIndex: slices.Index(d.Types, recv.String())}
		others := fn.Signature().Params()
		if returns {
			m.Name, others = ReturnName(m.Name), fn.Signature().Results()
		}
		if len(d.Types) == 1 {
			return m, true
		}
		for v := range others.Variables() {
			switch other := d.Types[1-m.TypeIndex]; {
			case v.Type().String() != other:
			case m.IsPair:
				r.errorf(arg, "expected a method that is about one %s, found %s", other, fn.FullName())
				return Method{}, false
			default:
				m.Name, m.IsPair = WithOperandName(m.Name, other), true
			}
		}
		return m, true
	}
	return Method{}, false
}

// field returns what is done with the field of the objects' type that a function names, whose
// address it returns.
func (r *reader) field(d *Declaration, arg ast.Expr, done string) (Method, bool) {
	at := r.pkg.Fset.PositionFor(arg.Pos(), false)
	x := addressedField(arg)
	if x == nil {
		r.errorf(arg, "expected a field of %s, written as func(x %[1]s) any { return &x.field }, found another expression", d.Type())
		return Method{}, false
	}
	sel := r.pkg.TypesInfo.Selections[x]
	if len(sel.Index()) > 1 {
		r.errorf(x, "expected a field that %s declares itself, found one that an embedded field has", d.Type())
		return Method{}, false
	}
	name, _ := FieldName(sel.Recv(), sel.Index(), types.SizesFor("gc", "amd64"))
	switch want := requiredType(done, sel.Type()); {
	case name == "":
		r.errorf(x, "expected a field of a type that has a name, and no type parameters, found one of %s", d.Type())
	case types.SizesFor("gc", "amd64").Sizeof(sel.Type()) == 0:
		r.errorf(x, "expected a field that has a size, found %s", name)
	case want != "":
		r.errorf(x, "expected a field that is %s, found %s, of type %s", want, name, sel.Type())
	default:
		return Method{Name: FieldActionName(done, name), Package: sel.Obj().Pkg().Path(), Position: at}, true
	}
	return Method{}, false
}

// addressedField is the x.field of func(x T) any { return &x.field }; nil of another expression.
func addressedField(arg ast.Expr) *ast.SelectorExpr {
	lit, ok := ast.Unparen(arg).(*ast.FuncLit)
	if !ok || len(lit.Body.List) != 1 || len(lit.Type.Params.List) != 1 || len(lit.Type.Params.List[0].Names) != 1 {
		return nil
	}
	ret, ok := lit.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	address, ok := ast.Unparen(ret.Results[0]).(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil
	}
	x, ok := ast.Unparen(address.X).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if id, ok := ast.Unparen(x.X).(*ast.Ident); !ok || id.Name != lit.Type.Params.List[0].Names[0].Name {
		return nil
	}
	return x
}
