package evidence

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// access returns the i-th access of a violation of that kind, which is step s.
func (b builder) access(kind bug.Kind, i int, s witness.Step) report.Access {
	a := report.Access{
		Goroutine: b.goroutine(s.Goroutine), Op: s.OperationWord(), Expr: b.operand(s),
		Position: report.Position{Func: b.function(s.Func), File: s.File, Line: s.Line}, Col: s.Col,
		Variable: s.Variable, Region: s.Region,
	}
	switch {
	case kind == bug.Failure:
		a.Op, a.Expr = operationOnTest(s)
	case s.Op == trace.Call && s.SiteOp == "": // otherwise it is an operation on a field
		a.Expr = b.calledMethod(i, s)
	}
	if g := b.goroutineOfAccess(i, s); g != nil {
		if a.Subtest = b.recorded.subtest(g); a.Subtest == "" {
			a.CreatedAt = b.created(b.recorded, g)
		}
		a.Locks = b.locks(b.recorded, g.ID, b.Violation[i])
		if at := b.Violation[i]; at >= 0 {
			a.Object = b.named.note(b.recorded, s.Op, b.recorded.Events[at].Obj)
		}
	}
	return a
}

// operationOnTest returns what a step of a failure does to the test: it panics, makes the test fail,
// finishes the test, or uses it.
func operationOnTest(s witness.Step) (op, expr string) {
	switch s.Op {
	case trace.Panic:
		return s.Op.String(), "" // it has no operand in the sources
	case trace.Assert:
		return "failure", "the test"
	case trace.Write:
		return "finish", "the test"
	case trace.Read:
		return "use", "the test"
	}
	return s.Op.String(), s.Expr
}

// goroutineOfAccess returns the goroutine of access i of the violation, which is s; nil if it is not
// known.
func (b builder) goroutineOfAccess(i int, s witness.Step) *trace.Goroutine {
	if b.recorded == nil || i >= len(b.Violation) {
		return nil
	}
	all := b.recorded.Goroutines
	if position := b.Violation[i]; position >= 0 {
		return &all[b.recorded.Events[position].G]
	}
	// It was about to do this in a replay, and did not.
	if k := slices.IndexFunc(all, func(g trace.Goroutine) bool { return g.Name() == s.Goroutine }); k >= 0 {
		return &all[k]
	}
	return nil
}

// created returns where a goroutine of r was created; nil if that is not known.
func (b builder) created(r *run, g *trace.Goroutine) *report.Place {
	if g.Parent == g.ID || g.Site == 0 || g.Path == "0" {
		return nil
	}
	p := b.place(r, trace.Fork, g.Site)
	return &p
}

// calledMethod returns the method that access i of the violation, step s, calls. It is the expression
// of s, unless that names another function: a line may call several, or pass a method to one.
func (b builder) calledMethod(i int, s witness.Step) string {
	if b.recorded == nil || i >= len(b.Violation) || b.Violation[i] < 0 {
		return s.Expr
	}
	key := b.recorded.Events[b.Violation[i]].Val
	for _, site := range b.recorded.Sites {
		pkg, method, _ := strings.Cut(site.Func, ".(*")
		if trace.CallSiteKey("(*"+pkg+"."+method, 0) != key { // as types.Func.FullName has it
			continue
		}
		if name := site.Func[strings.LastIndexByte(site.Func, '.'):]; !strings.HasSuffix(s.Expr, name) {
			return b.function(site.Func)
		}
		break
	}
	return s.Expr
}

// subtest returns the name of the subtest that a goroutine runs; "" if it runs none, or if
// package testing has not started it.
func (r *run) subtest(g *trace.Goroutine) string {
	if !trace.IsTestingFunction(r.Sites[g.Site].Func) {
		return "" // most are not, and a trace is long
	}
	first, end := r.index.EventRange(r.Trace, g.ID)
	begins := slices.IndexFunc(r.Events[first:end], func(e trace.Event) bool { return e.G == g.ID && e.Kind == trace.TestBegin })
	if begins < 0 {
		return ""
	}
	name := r.TestNames[r.Events[first+begins].Obj]
	if !strings.Contains(name, "/") {
		return ""
	}
	return name
}
