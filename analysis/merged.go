package analysis

import (
	"context"

	"github.com/gopredict/gopredict/analysis/merged"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// TierMerged is the tier of a finding that only several recordings together have shown.
const TierMerged = "merged"

// Recordings are the traces of several runs of one binary.
type Recordings []*merged.Recording

// NewRecordings prepares them for merging.
func NewRecordings(traces []*trace.Trace) (all Recordings) {
	for _, t := range traces {
		all = append(all, merged.NewRecording(t))
	}
	return all
}

// Merged predicts from all recordings of one test together.
type MergedTest struct {
	program *merged.Program
	engine  func(*solver.Formula) (solver.Engine, error)
	budget  *solver.Budget // of all questions
	each    int64          // steps for one
}

// Merge prepares for the test with that name. It returns nil if the recordings have too
// much of it, or tell nothing of values.
func (rs Recordings) Merge(test string, s Solving) *MergedTest {
	p, err := merged.Merge(rs, test)
	if err != nil {
		return nil
	}
	b := s.budget()
	m := &MergedTest{program: p, engine: s.engine(), each: b.Steps, budget: &b}
	b.Steps *= mergedQuestions
	return m
}

// Fails looks for a run in which an assertion fails that is at the site with that key. It
// returns its trace, of which the last event is the assertion; nil if there is none, or
// the budget did not suffice to find one.
func (m *MergedTest) Fails(ctx context.Context, key uint64) (*trace.Trace, error) {
	return m.program.Fails(ctx, key, m.engine, m.budget.Part(m.each))
}
