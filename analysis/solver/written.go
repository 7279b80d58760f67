package solver

import (
	"context"
	"fmt"
	"io"
)

// written is an engine whose questions are written out.
type writingEngine struct {
	Engine                                    // that answers
	f          *Formula                       // of which the assertions are
	assertions []Bool                         // each question is written whole
	create     func() (io.WriteCloser, error) // makes the file of the next question
}

// NewWritten returns an engine that writes each question as SMT-LIB 2 text (see
// [WriteSMT2]) to what create returns, lets e answer it, and writes the answer
// behind it as a comment, such as "; sat".
func NewWritten(f *Formula, e Engine, create func() (io.WriteCloser, error)) Engine {
	return &writingEngine{e, f, nil, create}
}

func (w *writingEngine) Assert(bs ...Bool) {
	w.assertions = append(w.assertions, bs...)
	w.Engine.Assert(bs...)
}

func (w *writingEngine) Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error) {
	out, err := w.create()
	if err != nil {
		return Unknown, err
	}
	answer, err := Unknown, WriteSMT2(out, w.f, w.assertions, assumptions)
	if err == nil {
		answer, err = w.Engine.Check(ctx, budget, assumptions...)
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "; %v\n", answer)
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	return answer, err
}
