package properties_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/properties"
)

const libraryPath = "github.com/gopredict/gopredict/gotestplugin/property"

// importer has the packages that were checked.
type importer map[string]*types.Package

func (im importer) Import(path string) (*types.Package, error) {
	if p := im[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("expected one of the test's packages, found %s", path)
}

// load makes a package of the text of one file, which may import the library.
func load(t *testing.T, name, text string) *packages.Package {
	t.Helper()
	p, err := checked(name, text)
	require.NoError(t, err)
	return p
}

// checked is load for any text.
func checked(name, text string) (*packages.Package, error) {
	fset, known := token.NewFileSet(), importer{}
	check := func(path string, f *ast.File) (*types.Info, error) {
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		}
		p, err := (&types.Config{Importer: known}).Check(path, fset, []*ast.File{f}, info)
		known[path] = p
		return info, err
	}
	lib, err := parser.ParseFile(fset, "../../gotestplugin/property/property.go", nil, 0)
	if err != nil {
		return nil, err
	}
	if _, err := check(libraryPath, lib); err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(fset, name, text, 0)
	if err != nil {
		return nil, err
	}
	info, err := check("example.com/pool", f)
	return &packages.Package{
		PkgPath: "example.com/pool", ForTest: "example.com/pool", Fset: fset, Syntax: []*ast.File{f},
		Imports: map[string]*packages.Package{libraryPath: {}}, TypesInfo: info,
	}, err
}

const header = `package pool

import "github.com/gopredict/gopredict/gotestplugin/property"

type Base struct{}

func (*Base) Reset() {}

type Conn struct {
	Base
	Data
	n    int
	none Base
}

type Data struct{ deep int }

func (c *Conn) Read()  {}
func (c *Conn) Write() {}
func (c *Conn) Close() {}
func (c Conn) Len()    {}

type List[T any] struct{ first *T }

func (l *List[T]) Add(T) {}

func (c *Conn) Join(_ int, l *List[int])    {}
func (c *Conn) Merge(a, b *List[int])       {}
func (c *Conn) List() (*List[int], error) { return nil, nil }

var late = "late"

`

func TestRead(t *testing.T) {
	ds, err := properties.Read([]*packages.Package{load(t, "pool_test.go", header+`
const use = "use"

var _ = property.For[*Conn]("no use after close").
	On(use, (*Conn).Read, (*Conn).Write).
	On("close", (*Conn).Close).
	ERE("use* close?")

var (
	_ = (property.For[*List[int]]("twice")).On("add", (*List[int]).Add).LTL("!" + "previously once add")
	_ = property.For[*Conn]("fields").OnRead("get", func(c *Conn) any { return &c.n }).OnWrite("set", func(c *Conn) any { return &c.n }).ERE("set get*")
	_ = property.For2[*Conn, *List[int]]("pairs").On("sent").On("close", (*Conn).Close).On("join", (*Conn).Join).OnReturn("list", (*Conn).List).ERE("list (join | sent)* close")
	_ = property.For[*Conn]("told").On("sent").OnReturn("read", (*Conn).Read).ERE("sent? read*")
)

func send(c *Conn) { property.Event("sent", c) }
`)})
	require.NoError(t, err)
	require.Len(t, ds, 5)
	d := ds[0]
	assert.Equal(t, "no use after close", d.Name)
	assert.Equal(t, "*example.com/pool.Conn", d.Type())
	assert.Equal(t, "example.com/pool", d.Package)
	assert.Equal(t, "ERE", d.Language)
	assert.Equal(t, "use* close?", d.Text)
	assert.Equal(t, 36, d.Position.Line)
	names := map[string][]string{}
	for _, e := range d.Events {
		for _, m := range e.Methods {
			names[e.Name] = append(names[e.Name], m.Name)
			assert.Equal(t, "example.com/pool", m.Package)
		}
	}
	assert.Equal(t, map[string][]string{
		"use":   {"(*example.com/pool.Conn).Read", "(*example.com/pool.Conn).Write"},
		"close": {"(*example.com/pool.Conn).Close"},
	}, names)
	assert.EqualError(t, d.Error(5, "wrong"), "pool_test.go:39:12: wrong")
	assert.Equal(t, "!previously once add", ds[1].Text)
	assert.Equal(t, "(*example.com/pool.List[T]).Add", ds[1].Events[0].Methods[0].Name)
	assert.EqualError(t, ds[1].Error(5, "wrong"), "pool_test.go:42:74: wrong") // no place in one constant
	assert.Equal(t, "read of example.com/pool.Conn.n", ds[2].Events[0].Methods[0].Name)
	assert.Equal(t, "write of example.com/pool.Conn.n", ds[2].Events[1].Methods[0].Name)
	assert.Equal(t, []string{"*example.com/pool.Conn", "*example.com/pool.List[int]"}, ds[3].Types)
	assert.Equal(t, map[string][2]any{
		`property.Event("sent", *example.com/pool.Conn) without *example.com/pool.List[int]`: {0, false},
		`property.Event("sent", *example.com/pool.Conn, *example.com/pool.List[int])`:        {1, true},
		`property.Event("sent", *example.com/pool.List[int]) without *example.com/pool.Conn`: {1, false},
		`property.Event("sent", *example.com/pool.List[int], *example.com/pool.Conn)`:        {0, true},

		"(*example.com/pool.Conn).Close":                                           {0, false},
		"(*example.com/pool.Conn).Join with *example.com/pool.List[int]":           {0, true},
		"return of (*example.com/pool.Conn).List with *example.com/pool.List[int]": {0, true},
	}, methods(ds[3]))
	assert.Equal(t, `property.Event("sent", *example.com/pool.Conn)`, ds[4].Events[0].Methods[0].Name)
	assert.Equal(t, "return of (*example.com/pool.Conn).Read", ds[4].Events[1].Methods[0].Name)
}

// methods returns by the names of what a property of pairs is about of which object that is, and
// whether it is about both.
func methods(d properties.Declaration) map[string][2]any {
	all := make(map[string][2]any)
	for _, e := range d.Events {
		for _, m := range e.Methods {
			all[m.Name] = [2]any{m.TypeIndex, m.IsPair}
		}
	}
	return all
}

// The place of an error in a text of several lines is that in the file.
func TestPlaceInText(t *testing.T) {
	ds, err := properties.Read([]*packages.Package{load(t, "pool_test.go", header+"var _ = property.For[*Conn](`p`).On(`a`, (*Conn).Read).Automaton(`\ns: a -> t`)\n")})
	require.NoError(t, err)
	assert.EqualError(t, ds[0].Error(9, "wrong"), "pool_test.go:34:9: wrong")
}

func TestErrors(t *testing.T) {
	const on = `On("use", (*Conn).Read)`
	for _, test := range []struct{ text, want string }{
		{`var _ = property.For[*Conn]("p").` + on, "33:9: expected ERE, LTL or Automaton at the end of the declaration of a property, found On"},
		{`var _ = property.For[*Conn]("p").ERE("use")`, "33:9: expected an event of the property, named by On, found none"},
		{`var _ = property.For[*Conn]("a\nb").` + on + `.ERE("use")`, `33:29: expected a name of the property in one line, of at most 200 bytes, found "a\nb"`},
		{`var _ = property.For[*Conn]("no use of rows that are closed").` + on + `.ERE("use")`, `33:29: expected a name that no built-in property has, found "no use of rows that are closed"`},
		{`var _ = property.For[*Conn](late).` + on + `.ERE("use")`, "33:29: expected a constant as the name, found an expression that is none"},
		{`var _ = property.For[*Conn]("p").` + on + `.ERE(late)`, "33:62: expected a constant as the text, found an expression that is none"},
		{`var _ = property.For[Conn]("p").` + on + `.ERE("use")`, `33:9: expected a pointer as the type of the objects of property "p", found example.com/pool.Conn`},
		{`var _ = property.For[*Base]("p").On("reset", (*Base).Reset).ERE("reset")`, "33:9: expected objects that have a size, to tell them apart by their addresses, found *example.com/pool.Base"},
		{`var _ = property.For[*Conn]("p").On("a\nb", (*Conn).Read).ERE("use")`, `33:37: expected a name of letters, digits and _ for an event, found "a\nb"`},
		{`var _ = property.For[*Conn]("p").OnReturn("use").ERE("use")`, "33:9: expected a list of methods of *example.com/pool.Conn for event use"},
		{`var all []any; var _ = property.For[*Conn]("p").On("use", all...).ERE("use")`, "33:24: expected a list of methods of *example.com/pool.Conn for event use"},
		{`var _ = property.For[*Conn]("p").On("use", 7).ERE("use")`, "33:44: expected a method of *example.com/pool.Conn, written as (*example.com/pool.Conn).Method, found another expression"},
		{`var _ = property.For[*Conn]("p").On("use", (*Base).Reset).ERE("use")`, "33:44: expected a method of *example.com/pool.Conn, found one of *example.com/pool.Base"},
		{`var _ = property.For[*Conn]("p").On("use", (*Conn).Reset).ERE("use")`, "33:44: expected a method that *example.com/pool.Conn declares itself, found (*example.com/pool.Base).Reset, which an embedded field has"},
		{`var _ = property.For[*Conn]("p").On("use", (*Conn).Len).ERE("use")`, "33:44: expected a method with a pointer receiver, found (example.com/pool.Conn).Len, which has a copy of the object"},
		{`var _ = property.For[*Conn]("p").` + on + `.On("get", (*Conn).Read).ERE("use")`, "33:68: expected one event for each method, found (*example.com/pool.Conn).Read in use and get"},
		{`var _ = property.For[*Conn]("p").OnRead("get").ERE("get")`, "33:9: expected a list of fields of *example.com/pool.Conn for event get"},
		{`var _ = property.For[*Conn]("p").OnRead("get", func(c *Conn) any { return c.n }).ERE("get")`, "33:48: expected a field of *example.com/pool.Conn, written as func(x *example.com/pool.Conn) any { return &x.field }, found another expression"},
		{`var other Conn; var _ = property.For[*Conn]("p").OnRead("get", func(c *Conn) any { return &other.n }).ERE("get")`, "33:64: expected a field of *example.com/pool.Conn, written as func(x *example.com/pool.Conn) any { return &x.field }, found another expression"},
		{`var _ = property.For[*Conn]("p").OnRead("get", func(c *Conn) any { return &c.deep }).ERE("get")`, "33:76: expected a field that *example.com/pool.Conn declares itself, found one that an embedded field has"},
		{`var _ = property.For[*Conn]("p").OnRead("get", func(c *Conn) any { return &c.none }).ERE("get")`, "33:76: expected a field that has a size, found example.com/pool.Conn.none"},
		{`var _ = property.For2[*Conn, *Conn]("p").On("close", (*Conn).Close).ERE("close")`, `33:9: expected two types of the objects of property "p", found *example.com/pool.Conn twice`},
		{`var _ = property.For2[*Conn, int]("p").On("close", (*Conn).Close).ERE("close")`, `33:9: expected a pointer as the type of the objects of property "p", found int`},
		{`var _ = property.For2[*Conn, *Data]("p").On("reset", (*Base).Reset).ERE("reset")`, `33:54: expected a method of *example.com/pool.Conn and *example.com/pool.Data, found one of *example.com/pool.Base`},
		{`var _ = property.For2[*Conn, *List[int]]("p").On("merge", (*Conn).Merge).ERE("merge")`, `33:59: expected a method that is about one *example.com/pool.List[int], found (*example.com/pool.Conn).Merge`},
		{`var _ = property.For[*Conn]("p").OnLock("lock", func(c *Conn) any { return &c.n }).ERE("lock")`, "33:77: expected a field that is a sync.Mutex or a sync.RWMutex, found example.com/pool.Conn.n, of type int"},
		{`var _ = property.For[*Conn]("p").OnClose("close", func(c *Conn) any { return &c.n }).ERE("close")`, "33:79: expected a field that is a channel, found example.com/pool.Conn.n, of type int"},
		{`var _ = property.For[*List[int]]("p").OnRead("get", func(l *List[int]) any { return &l.first }).ERE("get")`, "33:86: expected a field of a type that has a name, and no type parameters, found one of *example.com/pool.List[int]"},
		{`var _ = property.For[*Conn]("p").OnRead("get", func(c *Conn) any { return &c.n }).OnRead("look", func(c *Conn) any { return &c.n }).ERE("get")`, "33:98: expected one event for each field, found read of example.com/pool.Conn.n in get and look"},
		{`func f() { property.For[*Conn]("p").` + on + `.ERE("use") }`, "33:12: expected the declaration of a property as a package variable, found it in a function"},
		{`var p = property.For[*Conn]("p"); var _ = p.` + on + `.ERE("use")`, "33:9: expected ERE, LTL or Automaton at the end of the declaration of a property, found For"},
		{`var _ = property.For[*Conn]("p").` + on + `.ERE("use"); var _ = property.For[*Conn]("p").` + on + `.ERE("use")`, `33:78: expected a name of its own for each property of a package, found "p" at pool_test.go:33:9, too`},
	} {
		_, err := properties.Read([]*packages.Package{load(t, "pool_test.go", header+test.text)})
		assert.EqualError(t, err, "pool_test.go:"+test.want, test.text)
	}
	_, err := properties.Read([]*packages.Package{load(t, "pool.go", header+`var _ = property.For[*Conn]("p").`+on+`.ERE("use")`)})
	assert.EqualError(t, err, "pool.go:33:9: expected the declaration of a property in a _test.go file, found it in pool.go")
}

// parts are those of declarations, most of which fit somewhere.
var parts = struct{ types, constants, calls, events, ends []string }{
	types:     []string{"*Conn", "Conn", "*Base", "*List[int]", "any", "func()", "*struct{ a int }", "**Conn", "*[0]int", "Pointer"},
	constants: []string{`"p"`, `"a\nb"`, "late", `""`, "`raw\ntext`", `"no use of rows that are closed"`, `"a" + "b"`, "string(rune(0))"},
	calls:     []string{"On", "OnReturn", "OnRead", "OnWrite", "OnLock", "OnSend", "OnClose"},
	events: []string{"(*Conn).Read", "(*Conn).Close", "(*Conn).Len", "Conn.Len", "(*Base).Reset", "(*Conn).Reset", "(*List[int]).Add", "nil", "7", "late",
		"new(Conn).Read", "Pointer.Close", "[]any{nil}...", "func(c *Conn) any { return &c.n }", "func(c *Conn) any { return &c.Data.deep }", "func(_ *Conn) any { return nil }",
		"func(c *Conn) any { return &(c).none }", "property.Event", "(func(*Conn))(nil)", "(*Conn).List", "(*Conn).Join", "(*Conn).Merge"},
	ends: []string{"ERE", "LTL", "Automaton", "Name", "On"},
}

// declarations makes declarations of parts: each byte chooses one.
func declarations(choices []byte) string {
	choose := func(from []string) string {
		if len(choices) == 0 {
			return from[0]
		}
		c := choices[0]
		choices = choices[1:]
		return from[int(c)%len(from)]
	}
	var b strings.Builder
	for len(choices) > 0 {
		fmt.Fprintf(&b, "\nvar _ = property.%s(%s)", choose([]string{
			"For[" + choose(parts.types) + "]", "For2[" + choose(parts.types) + ", " + choose(parts.types) + "]",
		}), choose(parts.constants))
		for range min(3, len(choices)) {
			fmt.Fprintf(&b, ".%s(%s", choose(parts.calls), choose(parts.constants))
			for range len(choices) % 3 {
				b.WriteString(", " + choose(parts.events))
			}
			b.WriteString(")")
		}
		fmt.Fprintf(&b, ".%s(%s)", choose(parts.ends), choose(parts.constants))
	}
	return b.String()
}

// No declarations that compile make the reader panic: they are whole, or one line says where in
// the file what was expected.
func FuzzRead(f *testing.F) {
	for _, tail := range []string{
		`var _ = property.For[*Conn]("no use after close").On("use", (*Conn).Read, (*Conn).Write).On("close", (*Conn).Close).ERE("use* close?")`,
		`var _ = (property.For[*List[int]]("twice")).On("add", (*List[int]).Add).LTL("!" + "previously once add")`,
		`var _ = property.For[*Conn]("told").On("sent").OnReturn("read", (*Conn).Read).ERE("sent? read*"); func send(c *Conn) { property.Event("sent", c) }`,
		`var _ = property.For[*Conn]("fields").OnRead("get", func(c *Conn) any { return &c.n }).Automaton("s: get -> s")`,
		`var p = property.For[struct{}](late); var _ = p.On("use", 7, late, nil).ERE(late)`,
		`var f = property.For[func()]; var _ = f("f").On("a", f).LTL("a\nb")`,
		`type T = *Conn; var _ = property.For[T](string("\x00")).On("", T.Read, property.Property[T].ERE).ERE("")`,
		`func f() { _ = property.For[*Conn]("p").On }`,
		"var _ = property.For[*Conn](`p`).On(`a`, (*Conn).Read).Automaton(`\ns: a -> t`)",
		`var _ = property.For[*Conn]("p").On("use", []any{1}...).OnWrite("w", func(c *Conn) any { c = nil; return &c.n }).ERE("use")`,
	} {
		f.Add(tail, []byte(nil))
	}
	for seed := range byte(20) {
		f.Add("type Pointer = *Conn", []byte{seed, 3 * seed, 5 * seed, 7 * seed, 11 * seed, seed, 2 * seed, seed / 2, seed})
	}
	f.Fuzz(func(t *testing.T, tail string, choices []byte) {
		tail += declarations(choices)
		p, err := checked("pool_test.go", header+tail)
		if err != nil {
			return
		}
		within := func(err error) {
			var e *properties.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "pool_test.go", e.Position.Filename)
			require.LessOrEqual(t, e.Position.Line, 1+strings.Count(header+tail, "\n"))
			require.NotContains(t, e.Error(), "\n")
		}
		ds, err := properties.Read([]*packages.Package{p})
		if err != nil {
			within(err)
			return
		}
		for _, d := range ds {
			require.NotEmpty(t, d.Name)
			require.NotEmpty(t, d.Events)
			for offset := range d.Text {
				within(d.Error(offset, "wrong"))
			}
		}
		properties.ReportedEvents([]*packages.Package{p})
	})
}
