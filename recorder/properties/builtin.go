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
	ContextErr    = "(*context.cancelCtx).Err"
	ContextCancel = "(*context.cancelCtx).cancel"
)

// A builtinProperty is one that holds for all tests.
type builtinProperty struct {
	Declaration
	// fine says that a violation is no bug unless the test fails by it: that is how who comes
	// too late is told to end. Of others package bug says which are only warnings.
	fine bool
}

var builtin = []builtinProperty{
	// The writer may be that of another response by then, and nothing tells who writes.
	{of("no write to a response whose handler has returned", "*net/http.response", "write* end*",
		event("write", ResponseWrite, HTTP2Write), event("end", ResponseEnd, HTTP2End)), false},
	{of("no read of a request's body that is closed", "*net/http.body", "read* close*",
		event("read", BodyRead), event("close", BodyClose)), false},
	{of("no statement in a transaction that has ended", "*database/sql.Tx", "use* end*",
		event("use", TxUse), event("end", TxCommit, TxRollback)), false},
	{of("no use of rows that are closed", "*database/sql.Rows", "use* close*",
		event("use", RowsNext, RowsScan), event("close", RowsClose)), false},
	{of("no use of a statement that is closed", "*database/sql.Stmt", "use* close*",
		event("use", StmtUse), event("close", StmtClose)), false},
	{of("no use of a file that is closed", "*os.File", "use* close*",
		event("use", FileRead, FileWrite), event("close", FileClose)), true},
	{of("no use of a connection that is closed", "*net.conn", "use* close*",
		event("use", ConnRead, ConnWrite), event("close", ConnClose)), true},
	{of("no look at a context that is cancelled", "*context.cancelCtx", "look* cancel*",
		event("look", ContextErr), event("cancel", ContextCancel)), true},
}

func of(name, typ, text string, events ...Event) Declaration {
	return Declaration{Name: name, Types: []string{typ}, Language: "ERE", Text: text, Events: events}
}

func event(name string, methods ...string) Event {
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
func isBuiltin(name string) bool { return find(name) >= 0 }

// IsFine reports whether a violation of the property of that name is no bug unless the test
// fails by it.
func IsFine(name string) bool {
	k := find(name)
	return k >= 0 && builtin[k].fine
}

func find(name string) int {
	return slices.IndexFunc(builtin, func(b builtinProperty) bool { return b.Name == name })
}
