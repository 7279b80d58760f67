package properties

import "slices"

// The names of what the standard library does that built-in properties are about, as those of
// methods. Package hooks puts an event where each is done.
const (
	ResponseWrite = "(*net/http.response).Write"
	ResponseEnd   = "(*net/http.response).finishRequest"
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
)

// A builtinProperty is one that holds for all tests. It warns if its violation gives the
// program an error, which that may be made for.
type builtinProperty struct {
	Declaration
	warns bool
}

var builtin = []builtinProperty{
	// The writer may be that of another response by then, and nothing tells who writes.
	{of("no write to a response whose handler has returned", "*net/http.response", "write* end*",
		event("write", ResponseWrite), event("end", ResponseEnd)), false},
	// All others give an error to who comes too late.
	{of("no read of a request's body that is closed", "*net/http.body", "read* close*",
		event("read", BodyRead), event("close", BodyClose)), true},
	{of("no statement in a transaction that has ended", "*database/sql.Tx", "use* end*",
		event("use", TxUse), event("end", TxCommit, TxRollback)), true},
	{of("no use of rows that are closed", "*database/sql.Rows", "use* close*",
		event("use", RowsNext, RowsScan), event("close", RowsClose)), true},
	{of("no use of a statement that is closed", "*database/sql.Stmt", "use* close*",
		event("use", StmtUse), event("close", StmtClose)), true},
}

func of(name, typ, text string, events ...Event) Declaration {
	return Declaration{Name: name, Type: typ, Language: "ERE", Text: text, Events: events}
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

// IsBuiltin reports whether a built-in property has a name.
func IsBuiltin(name string) bool { return find(name) >= 0 }

// Warns reports whether a violation of the property of a name is no more than a warning,
// unless the test fails by it: a built-in one that gives the program an error.
func Warns(name string) bool {
	k := find(name)
	return k >= 0 && builtin[k].warns
}

func find(name string) int {
	return slices.IndexFunc(builtin, func(b builtinProperty) bool { return b.Name == name })
}
