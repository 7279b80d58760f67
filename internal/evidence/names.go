package evidence

import (
	"cmp"
	"path"
	"strings"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A namer leaves out of names what the finding itself says: its package and test.
type namer struct{ pkg, test string }

// goroutine returns the name of a goroutine without the finding's own test: "0.1".
func (n namer) goroutine(name string) string {
	if n.test == "" {
		return name
	}
	if rest, own := strings.CutPrefix(name, n.test); own && strings.HasPrefix(rest, ":") { // most names begin so
		return rest[1:]
	}
	return name
}

// function returns the name of a function without its package, if that is the finding's own, or else
// without the folders of the package's path.
func (n namer) function(name string) string {
	for _, pkg := range []string{n.pkg, n.pkg + "_test"} {
		if rest, ok := strings.CutPrefix(name, pkg+"."); ok {
			return rest
		}
	}
	// A path can also be in the brackets of a type argument.
	end := strings.IndexAny(name, "[(")
	if end < 0 {
		end = len(name)
	}
	return path.Base(name[:end]) + name[end:]
}

// place returns the place of a site of r that has an operation of kind k.
func (b builder) place(r *run, k trace.Kind, id trace.SiteID) report.Place {
	s := r.Sites[id]
	p := report.Place{Expr: s.Expr, Position: report.Position{Func: b.function(s.Func), File: b.Files.Name(s.File), Line: s.Line}}
	if p.Expr == "" && b.Source != nil && s.File != "" {
		p.Expr = witness.Operand(k, b.Source(s.File, s.Line))
	}
	return p
}

// sourceLine returns the line of the program that a step is in; "" if it is not known.
func (b builder) sourceLine(s witness.Step) string {
	if b.Source == nil || s.File == "" {
		return ""
	}
	return b.Source(b.Files.Path(s.File), s.Line)
}

// operand returns the operand of a step in the report. A Once is named by its Do. Operations of pools
// and timers are named by the call in the line, and so are accesses of other modules or the
// standard library, as "in maps.Clone".
func (b builder) operand(s witness.Step) string {
	switch s.Op {
	case trace.OnceBegin, trace.OnceEnd, trace.OnceDone:
		return cmp.Or(s.Expr, "Once") + ".Do"
	case trace.Read, trace.Write:
		if called := witness.SoleCall(b.sourceLine(s)); s.Expr == "" && s.SiteNumber == 0 && called != "" {
			return report.WithinCall + called
		}
	case trace.Post, trace.Await:
		line := b.sourceLine(s)
		called := witness.CalledMethod(line)
		if strings.Contains(line, "time.AfterFunc(") {
			called = "time.AfterFunc"
		}
		if s.Op == trace.Await && (strings.HasSuffix(called, "AfterFunc") || strings.HasSuffix(called, ".Reset")) {
			return "timer"
		}
		return called
	}
	return s.Expr
}
