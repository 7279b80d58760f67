// Package witness reads and writes witness files: schedules as text, that
// live beside the test they belong to and are readable in a diff.
package witness

import "github.com/gopredict/gopredict/recorder/trace"

// A Witness tells how to reach one bug: the test to run, the steps to make it
// take, and the accesses at which it then stands.
type Witness struct {
	ID        string // e.g. "race-7c1f0a"; also the file's base name
	Kind      string // "race", …
	Package   string // import path of the package under test
	Tests     []string // top-level tests to run; Tests[0] names the folder
	Go        string // version that it was made with
	Steps     []Step
	Hold      []Step
	Violation []Step
}

// A Step is one event of one goroutine.
type Step struct {
	Goroutine string // trace.Goroutine.Name
	Op        trace.Kind
	Func      string // trace.Site.Func
	File      string // relative to the module root where inside it, with forward slashes; else as in trace.Site
	Line      int
	Col       int
	Expr      string // trace.Site.Expr
	Nth       int    // among sites of equal Func, Op and Expr, in source order, from 1; 0 for call sites
	Occ       int    // occurrence of (Op, site) in its goroutine, from 1
	Value     string // recorded value, for the reader only; may be empty
}
