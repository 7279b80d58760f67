package merged_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/merged"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

var programs = flag.Uint64("programs", 200, "random programs to compare with all their interleavings")

func newEngine(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil }

// predict asks for a run to a failing assertion of the program.
func predict(t *testing.T, seed uint64, p *program, runs ...*trace.Trace) *trace.Trace {
	t.Helper()
	var recordings []*merged.Recording
	for _, run := range runs {
		recordings = append(recordings, merged.NewRecording(run))
	}
	m, err := merged.Merge(recordings, "Test")
	require.NoError(t, err, "seed %d", seed)
	for _, s := range p.sites {
		if s.FailsIf != trace.NoOutcome {
			r, err := m.Fails(context.Background(), s.Key, newEngine, &solver.Budget{Steps: 60 * solver.Second})
			require.NoError(t, err, "seed %d", seed)
			return r
		}
	}
	return nil
}

// TestOracle compares what two recordings of a program together predict with all its
// interleavings: what is found the program does, and where goroutines go ways of the
// recordings, all is found.
func TestOracle(t *testing.T) {
	fail, found, alone := 0, 0, 0
	for seed := range *programs {
		p := random(seed, 2+int(seed%2))
		var runs []*trace.Trace
		var ways [][]string
		for k := range uint64(8) {
			tr, m := p.record(seed<<8|k, 0xc000000000+k<<24)
			require.NoError(t, trace.Validate(tr))
			if m.failed || len(runs) == 2 || slices.ContainsFunc(ways, func(w []string) bool { return slices.Equal(w, m.ways) }) {
				continue
			}
			runs, ways = append(runs, tr), append(ways, m.ways)
		}
		if len(runs) < 2 {
			continue
		}
		within := func(recordings ...[]string) func(int, string) bool {
			return func(g int, way string) bool {
				return slices.ContainsFunc(recordings, func(w []string) bool { return strings.HasPrefix(w[g]+" ", way+" ") })
			}
		}
		anyway := p.fails(func(int, string) bool { return true })
		if anyway {
			fail++
		}
		r := predict(t, seed, p, runs...)
		require.Equal(t, p.fails(within(ways...)), r != nil, "seed %d", seed)
		one := false
		for k, run := range runs {
			single := predict(t, seed, p, run)
			require.Equal(t, p.fails(within(ways[k])), single != nil, "seed %d, recording %d alone", seed, k)
			one = one || single != nil
		}
		if r == nil {
			require.False(t, one, "seed %d", seed)
			continue
		}
		found++
		if one {
			alone++
		}
		perform(t, seed, p, r)
	}
	t.Logf("%d can fail: %d found, %d of them in one recording alone", fail, found, alone)
	require.Greater(t, found, alone)
	require.Greater(t, alone, 0)
}

// perform runs the program in the order of a predicted run, and expects its events.
func perform(t *testing.T, seed uint64, p *program, r *trace.Trace) {
	t.Helper()
	m := p.start()
	memory := make(map[uint64]uint64) // addresses, by variable
	for i, want := range r.Events {
		if want.Site == 0 {
			continue // what record adds
		}
		g := slices.IndexFunc(p.bodies, func([]statement) bool { return true })
		if path := r.Goroutines[want.G].Path; path != "0" {
			g = int(path[2] - '0')
		}
		require.Contains(t, m.ready(), g, "seed %d, event %d", seed, i)
		got := m.step(g)
		require.Equal(t, [3]any{want.Kind, want.Site, want.Val}, [3]any{got.Kind, got.Site, got.Val}, "seed %d, event %d", seed, i)
		if want.Kind.IsAccess() {
			if address, ok := memory[got.Obj]; ok {
				require.Equal(t, address, want.Obj, "seed %d, event %d", seed, i)
			}
			memory[got.Obj] = want.Obj
		}
	}
	require.True(t, m.failed, "seed %d", seed)
}

// Critical sections of one lock come one after the other: an update under it is not lost.
func TestLocks(t *testing.T) {
	for _, locked := range []bool{false, true} {
		p := &program{variables: 1, sites: make(map[trace.SiteID]trace.Site)}
		g := generator{program: p}
		p.bodies = make([][]statement, 1)
		for range 2 {
			read := statement{op: load, site: g.site(trace.Site{Op: "read", OnlyInFormulas: true})}
			write := statement{op: store, add: 1, from: read.site, site: g.site(trace.Site{Op: "write", Formula: reading("(+ 1 %s)", read)})}
			body := []statement{read, write}
			if locked {
				body = []statement{{op: lock}, read, write, {op: unlock}}
			}
			p.bodies = append(p.bodies, append(body, statement{op: leave}))
		}
		last := statement{op: load, site: g.site(trace.Site{Op: "read", OnlyInFormulas: true})}
		fails := statement{op: check, add: 1, site: g.site(trace.Site{Op: "assert", FailsIf: trace.IfFalse, Formula: reading("(not (= %s 1))", last)})}
		p.bodies[0] = []statement{last, fails}
		var runs []*trace.Trace
		for k := uint64(0); len(runs) < 2; k++ {
			if tr, m := p.record(k, k<<24); !m.failed {
				runs = append(runs, tr)
			}
		}
		require.Equal(t, !locked, predict(t, 0, p, runs...) != nil)
	}
}

// reading is a formula over what a statement has read.
func reading(format string, s statement) string {
	return fmt.Sprintf(format, fmt.Sprintf("@%xi8", uint64(s.site)))
}
