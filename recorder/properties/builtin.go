package properties

import "slices"

// The names of what the standard library does that built-in properties are about, as those of
// methods. Package hooks puts an event where each is done.
const (
	ResponseWrite = "(*net/http.response).Write"
	ResponseEnd   = "(*net/http.response).finishRequest"
	HTTP2Write    = "(*net/http.http2responseWriter).Write"
	HTTP2End      = "(*net/http.http2responseWriter).handlerDone"
	BodyRead      = "(*net/http.body).Read"
	BodyClose     = "(*net/http.body).Close"
	TxUse         = "(*database/sql.Tx).Exec"
	TxCommit      = "(*database/sql.Tx).Commit"
	TxRollback    = "(*database/sql.Tx).Rollback"
	RowsNext      = "(*database/sql.Rows).Next"
	RowsScan      = "(*database/sql.Rows).Scan"
	RowsClose     = "(*database/sql.Rows).Close"
	StmtUse       = "(*database/sql.Stmt).Exec"
	StmtClose     = "(*database/sql.Stmt).Close"
	FileRead      = "(*os.File).Read"
	FileWrite     = "(*os.File).Write"
	FileClose     = "(*os.File).Close"
	ConnRead      = "(*net.conn).Read"
	ConnWrite     = "(*net.conn).Write"
	ConnClose     = "(*net.conn).Close"
)

// A builtinProperty is one that holds for all tests.
type builtinProperty struct {
	Declaration
	// harmlessUnlessTestFails says that a violation is no bug unless the test fails by it.
	// Programs use a closed file, say, to let a goroutine end with an error.
	harmlessUnlessTestFails bool
}

var builtin = []builtinProperty{
	// The writer may be that of another response by then, and nothing tells who writes.
	{newBuiltin("no write to a response whose handler has returned", "*net/http.response", "write* end*",
		newEvent("write", ResponseWrite, HTTP2Write), newEvent("end", ResponseEnd, HTTP2End)), false},
	{newBuiltin("no read of a request's body that is closed", "*net/http.body", "read* close*",
		newEvent("read", BodyRead), newEvent("close", BodyClose)), false},
	{newBuiltin("no statement in a transaction that has ended", "*database/sql.Tx", "use* end*",
		newEvent("use", TxUse), newEvent("end", TxCommit, TxRollback)), false},
	{newBuiltin("no use of rows that are closed", "*database/sql.Rows", "use* close*",
		newEvent("use", RowsNext, RowsScan), newEvent("close", RowsClose)), false},
	{newBuiltin("no use of a statement that is closed", "*database/sql.Stmt", "use* close*",
		newEvent("use", StmtUse), newEvent("close", StmtClose)), false},
	{newBuiltin("no use of a file that is closed", "*os.File", "use* close*",
		newEvent("use", FileRead, FileWrite), newEvent("close", FileClose)), true},
	{newBuiltin("no use of a connection that is closed", "*net.conn", "use* close*",
		newEvent("use", ConnRead, ConnWrite), newEvent("close", ConnClose)), true},
}

func newBuiltin(name, typ, text string, events ...Event) Declaration {
	return Declaration{Name: name, Types: []string{typ}, Language: "ERE", Text: text, Events: events}
}

func newEvent(name string, methods ...string) Event {
	e := Event{Name: name}
	for _, m := range methods {
		e.Methods = append(e.Methods, Method{Name: m})
	}
	return e
}

// Builtin returns the properties that hold for the tests of all packages. They have no
// Package, and no places.
func Builtin() []Declaration {
	var all []Declaration
	for _, b := range builtin {
		all = append(all, b.Declaration)
	}
	return all
}

// isBuiltin reports whether a built-in property has a name.
func isBuiltin(name string) bool { return indexByName(name) >= 0 }

// IsHarmlessUnlessTestFails reports whether a violation of the property of that name is no bug unless the test
// fails by it.
func IsHarmlessUnlessTestFails(name string) bool {
	k := indexByName(name)
	return k >= 0 && builtin[k].harmlessUnlessTestFails
}

func indexByName(name string) int {
	return slices.IndexFunc(builtin, func(b builtinProperty) bool { return b.Name == name })
}
