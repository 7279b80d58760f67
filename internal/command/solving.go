package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/solver"
)

// engines are the solvers by the name that -predict.solver gives them. Each makes an engine
// for one formula; to make one may fail, as Z3's library may not be there.
var engines = map[string]func(*solver.Formula) (solver.Engine, error){
	"builtin": func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil },
	"z3":      solver.NewZ3,
	"both":    solver.NewBoth,
}

// setSolver chooses the solver; it fails at once if that cannot be had, which only making an
// engine tells.
func (o *options) setSolver(name string) error {
	engine := engines[name]
	if engine == nil {
		return fmt.Errorf("expected builtin, z3, or both")
	}
	e, err := engine(solver.NewFormula())
	if err != nil {
		return err
	}
	e.Close()
	o.solver = engine
	return nil
}

// A queryFolder is where the questions to the solver are written, so that one that takes
// long can be given to other solvers. Solving asks them one after the other.
type queryFolder struct {
	dir string
	n   int // how many there are
}

// setQueries makes the folder, and removes what another run has left there.
func (o *options) setQueries(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(escape(dir), "query-*.smt2"))
	if err != nil {
		return err
	}
	for _, file := range old { // of an earlier run
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	o.queries = &queryFolder{dir: dir}
	return nil
}

// escape returns dir so that [filepath.Glob] takes it literally.
func escape(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// createQuery makes the file of the next question: query-00001.smt2 and so on, in the order in
// which they are asked, which is the same in each run.
func (q *queryFolder) createQuery() (io.WriteCloser, error) {
	q.n++
	return os.Create(filepath.Join(q.dir, fmt.Sprintf("query-%05d.smt2", q.n)))
}

// solving says how candidates are solved: by which engine, and whether its questions are
// written out, by an engine around that one. The budget is the analysis' own.
func (o *options) solving() analysis.Solving {
	engine := o.solver
	if engine == nil {
		engine = engines["builtin"]
	}
	if o.queries == nil {
		return analysis.Solving{Engine: engine}
	}
	return analysis.Solving{Engine: func(f *solver.Formula) (solver.Engine, error) {
		e, err := engine(f)
		if err != nil {
			return nil, err
		}
		return solver.NewWritten(f, e, o.queries.createQuery), nil
	}}
}

// analyzed are the options that analyze takes: those of what to look for, and not of runs.
var analyzed = []string{"kinds", "patterns", "solver", "smt2"}

// forAnalyze reports whether analyze takes the option.
func forAnalyze(name string) bool { return slices.Contains(analyzed, name) }
