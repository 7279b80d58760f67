package analysis

import (
	"sync"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// parts are what a trace is looked at by, each made once, by whoever is the first to ask for it. They
// follow from the trace alone, so that it makes no difference when and where that is: many of them take
// as long as all that is decided by them, and are made beside that.
type parts struct {
	layout   func() *trace.Layout     // the memory of the trace
	control  func() *symbolic.Control // what the solver's models of the trace share
	newModel func() *symbolic.Model   // see [predictor.model]
	newJudge func() *feasible.Judge   // see [predictor.judge]
	// departures tell where runs may depart from the recorded one.
	departures func() *symbolic.Departures
}

func newParts(t *trace.Trace, o *order.Order, flow *dataflow.Flow) parts {
	layout := sync.OnceValue(func() *trace.Layout { return trace.NewLayout(t) })
	control := sync.OnceValue(func() *symbolic.Control { return symbolic.NewControl(t, o) })
	return parts{
		layout: layout, control: control,
		newModel:   sync.OnceValue(func() *symbolic.Model { return control().Concurrent(flow, layout()) }),
		newJudge:   sync.OnceValue(func() *feasible.Judge { return feasible.NewWith(t, o.Program(), flow, layout()) }),
		departures: sync.OnceValue(func() *symbolic.Departures { return control().Departures(flow, layout()) }),
	}
}
