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

// engines are the solvers by their names in -predict.solver. Each makes an engine for one formula,
// which fails if Z3's library is missing.
var engines = map[string]func(*solver.Formula) (solver.Engine, error){
	"builtin": func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil },
	"z3":      solver.NewZ3,
	"both":    solver.NewBoth,
}

// setSolver chooses the solver. It makes an engine to find out whether the solver is there.
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

// A queryFolder is the folder for the queries to the solver, so that one that takes long can be given
// to other solvers. Queries are asked one after the other.
type queryFolder struct {
	dir   string
	count int // number of queries so far
}

// setQueries makes the folder for queries, and removes those of an earlier run.
func (o *options) setQueries(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(escapePattern(dir), "query-*.smt2"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	o.queries = &queryFolder{dir: dir}
	return nil
}

// escapePattern escapes dir so that [filepath.Glob] takes it literally.
func escapePattern(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// createQuery creates the file of the next query, query-00001.smt2 and so on. Their order is the same
// in each run.
func (q *queryFolder) createQuery() (io.WriteCloser, error) {
	q.count++
	return os.Create(filepath.Join(q.dir, fmt.Sprintf("query-%05d.smt2", q.count)))
}

// solvingOptions returns how candidates are solved: the engine, wrapped if its queries are written out. The
// analysis has its own budget.
func (o *options) solvingOptions() analysis.Solving {
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

// analyzeOptionNames are the options that analyze takes: those about what to look for.
var analyzeOptionNames = []string{"kinds", "patterns", "solver", "smt2"}

// isAnalyzeOption reports whether analyze takes the option.
func isAnalyzeOption(name string) bool { return slices.Contains(analyzeOptionNames, name) }
